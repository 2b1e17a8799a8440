"""Reads a shell script into the simple commands it is made of.

The grammar (tree-sitter-bash, pinned) is tolerant, so a tree proves little by itself. Two allow-lists of node
types give it meaning. A *plain* script is a sequence of literal commands joined by `&&`, `||`, `;` and `|`, redirected
to nothing but one another and `/dev/null`: its words are what the programs will get, so rules may match them. A
*readable* script may also redirect, loop, test and substitute; each command it can run is in `commands`, with words
marked by how sure we are of them. In any other script `commands` still lists whatever was found, which may only ever
make a verdict stricter.

Both claims also need every byte between two tokens to be a blank bash knows: the grammar takes a no-break space
for a separator, bash takes it for a letter. The walk keeps its own stack, so nesting depth is no concern.
"""

from __future__ import annotations

from sandgate.commandline.bashcommands import Redirection, Script, SimpleCommand, changes_nothing
from sandgate.commandline.bashcompound import CompoundReader, last_command
from sandgate.commandline.bashconditions import TEST_PARTS
from sandgate.commandline.bashwords import REDIRECTS, WORDS, Word, literal, source_text
from sandgate.commandline.endless import endless, in_background
from sandgate.commandline.everyday import everyday
from sandgate.commandline.grammar import SCRIPT_BYTES_MAX, syntax_tree
from sandgate.commandline.recent import Recent
from sandgate.commandline.steady import SteadyVariables
from sandgate.commandline.words import words_of
from sandgate.commandline.wrappers import COMMAND_FOLLOWS

READ_WRITE = "<>"  # which the grammar is not shown, `grammar.py`
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from sandgate.commandline.everyday import Stage


# Characters at either end of a script nobody can run that are searched for commands.
GUESSED_MAX = SCRIPT_BYTES_MAX // 2
_STRUCTURE = words_of(
    "program list pipeline redirected_statement comment negated_command subshell compound_statement if_statement "
    "variable_assignments elif_clause else_clause for_statement while_statement do_group"
)
_PLAIN_STRUCTURE = frozenset(("program", "list", "pipeline"))
_AROUND_HERE_DOCUMENT = words_of(
    "program redirected_statement comment variable_assignment heredoc_start heredoc_body heredoc_content heredoc_end "
    "simple_expansion variable_name"
)
_TOKENS = words_of("&& || ; | |& ( ) { } ! [ ] if then fi elif else for in do done while until $( <( ` &") | {"\n", ""}
_PLAIN_TOKENS = frozenset(("&&", "||", ";", "|", "\n", ""))
_RESERVED = words_of("{ } ! [[ ]] coproc function select do done then fi else elif esac")
_recent = Recent()


def parse(script: str) -> Script:
    """Never raises and never recurses; time grows with the length of the script."""
    known: Script | None = _recent.get(script)
    return known if known is not None else _recent.keep(script, _parsed(script))


def _parsed(script: str) -> Script:
    try:
        source = script.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair: no such argument can be passed to a program
        return Script(commands=_guesses(script))
    found = everyday(script) if len(source) <= SCRIPT_BYTES_MAX else None
    if found is not None:
        return _everyday_script(*found)
    if b"\0" in source and len(source) <= SCRIPT_BYTES_MAX:
        return Script(commands=_guesses(script))
    root = syntax_tree(source)
    if root is None:
        ends = f"{script[:GUESSED_MAX]}\n{script[-GUESSED_MAX:]}" if len(script) > 2 * GUESSED_MAX else script
        return Script(commands=_guesses(ends), beyond_limits=True)
    reader = _Reader(source)
    read = reader.read(root)
    return read if reader.held(read) else _Reader(source, trusting=False).read(root)


def _in_endless_loop(node: Node) -> bool:
    """`while true; do sleep 1000 & done` starts programs until the machine stops answering."""
    above = node.parent
    while above is not None and above.type != "while_statement":
        above = above.parent
    return above is not None


def _everyday_script(pipelines: list[list[Stage]], commented: bool) -> Script:
    """The same as the tree gives, made of tokens that mean themselves."""
    known: dict[str, Word] = {}
    made: dict[tuple[str, ...], SimpleCommand] = {}  # a command that comes again is the same command
    commands: list[SimpleCommand] = []
    redirections: list[Redirection] = []
    for pipeline in pipelines:
        for stage in pipeline:
            tokens = tuple(stage.tokens)
            command = made.get(tokens)
            if command is None:
                for token in tokens:
                    if token not in known:
                        known[token] = literal(token)
                command = made[tokens] = SimpleCommand(tuple([known[token] for token in tokens]), ())
            commands.append(command)
            for descriptor, operator, target in stage.sent:
                redirections.append(Redirection(operator, literal(target), descriptor))
    plain = not commented and all(map(changes_nothing, redirections)) and all(word.plain for word in known.values())
    return Script(tuple(commands), tuple(redirections), plain=plain, readable=True)


class _Reader(CompoundReader):
    """Walks one syntax tree once."""

    def __init__(self, source: bytes, *, trusting: bool = True) -> None:
        super().__init__(source)
        self._steady = SteadyVariables(trusted=trusting)
        self._commands: list[SimpleCommand] = []
        self._at: dict[int, int] = {}  # node id of a command → its place in _commands
        self._late: list[tuple[int, list[Word]]] = []  # words found behind a redirection, for that command
        self._redirections: list[Redirection] = []
        self._here_documents = 0
        self._chosen: list[tuple[str, Word]] = []

    def read(self, root: Node) -> Script:
        broken = root.has_error
        if broken or not self._blank(0, root.start_byte) or not self._blank(root.end_byte, len(self._source)):
            self._distrust()
        self._stack.append(root)
        while self._stack:
            self._visit(self._stack.pop())
        self._give_back_late_words()
        commands = tuple(self._commands)
        if broken or self._torn:  # bash runs the lines before the mistake, and may not take it for one
            commands += _guesses(source_text(self._source))
        running = [command for command in commands if command.words]
        one_literal = len(running) == 1 and all(word.plain for word in running[0].words)
        return Script(
            commands=commands,
            redirections=tuple(self._redirections),
            plain=self._plain and bool(running) and all(map(changes_nothing, self._redirections)),
            readable=self._readable and bool(running) and self._numbers_only(self._commands),
            here_document=self._around_here_document and self._here_documents > 0 and one_literal,
            functions=frozenset(self._functions),
            chosen=tuple(self._chosen),
        )

    def held(self, script: Script) -> bool:
        """Whether what was relied on about the script's variables is true of the whole script."""
        words = {word.text for command in script.commands for word in command.words}
        return self._steady.held(words, self._counted)

    def _visit(self, node: Node) -> None:
        kind = node.type
        if not node.is_named:
            self._plain = self._plain and kind in _PLAIN_TOKENS
            self._readable = self._readable and kind in _TOKENS and not (kind == "&" and _in_endless_loop(node))
        elif kind == "command":
            self._command(node)
        elif kind == "redirected_statement":
            self._redirected(node)
        elif kind == "test_command":
            self._test(node)
        elif kind == "for_statement":
            self._loop(node)
        elif kind == "function_definition":
            self._function(node)
        elif kind in ("case_statement", "case_item"):
            self._case(node)
        elif kind == "declaration_command":
            self._declaration(node)
        elif kind == "while_statement" and endless(self._text(node)):
            self._readable = False
            self._other(node)
        elif kind == "variable_assignment":
            self._commands.append(SimpleCommand((), (self._assignment(node),)))
        else:
            self._other(node)

    def _other(self, node: Node) -> None:
        """Statements around commands, and everything we do not know."""
        kind = node.type
        self._plain = self._plain and kind in _PLAIN_STRUCTURE
        self._around_here_document = self._around_here_document and kind in _AROUND_HERE_DOCUMENT
        self._readable = self._readable and (kind in _STRUCTURE or kind == "arithmetic_expansion")
        if kind == "do_group" and in_background(self._text(node)):
            self._readable = False  # how many are started is anybody's guess
        if kind == "comment" or (kind == "arithmetic_expansion" and self._counts(node)):
            return
        children = node.children
        if kind == "arithmetic_expansion" or (kind == "compound_statement" and children[0].type != "{"):
            self._readable = False
            self._commands.extend(_guesses(self._text(node)))  # bash runs `$((a) ; (b))` as commands
        if kind == "heredoc_body" and b"`" in self._source[node.start_byte : node.end_byte]:
            self._distrust()  # the grammar takes these for text, bash runs them
            self._commands.extend(_guesses(self._text(node)))
        if not kind.startswith("heredoc"):  # text, not tokens
            self._check_gaps(node, children)
        self._stack.extend(reversed(children))

    def _command(self, node: Node) -> None:
        words: list[Word] = []
        assignments: list[Word] = []
        self._at[node.id] = len(self._commands)
        children = node.children
        self._check_gaps(node, children)
        word_end = -1
        for child in children:
            kind = child.type
            if kind == "command_name":
                words.append(self._program(child.children[0] if child.child_count == 1 else child))
                word_end = child.end_byte
            elif kind in WORDS:
                word = self._word(child)
                if words and self._ends_line(word_end, child.start_byte):  # the grammar may miss a line's end
                    self._commands.append(SimpleCommand(tuple(words)))
                    words = []
                if (
                    words and child.start_byte == word_end
                ):  # the grammar tears `'r'\\m` apart; the gap check has noticed
                    word = Word(words.pop().text + word.text, "unknown", bare=False, plain=False)
                words.append(word)
                word_end = child.end_byte
            elif kind == "variable_assignment":
                assignments.append(self._assignment(child))
            elif kind in REDIRECTS:
                behind = self._redirect(child)
                self._plain = self._plain and not behind
                words.extend(behind)
            else:
                self._distrust()
                self._stack.append(child)
        self._plain = self._plain and all(word.plain for word in words)
        calls = not assignments and self._calls_function(node, words)
        self._commands.append(SimpleCommand(tuple(words), tuple(assignments), calls_function=calls))

    def _declaration(self, node: Node) -> None:
        shown = self._shown(node)
        if shown is not None:
            self._plain = self._around_here_document = False
            self._commands.append(SimpleCommand(shown))
            return
        assigned = self._declared(node)
        if assigned is None:
            self._other(node)
        elif node.children[0].type == "export":  # reaches programs, as `X=1 program` does
            self._commands.append(SimpleCommand((Word("export"),), assigned))
        else:
            self._commands.append(SimpleCommand((), assigned))

    def _assignment(self, node: Node) -> Word:
        self._plain = False
        word = Word("")
        for child in node.named_children:
            if child.type == "variable_name":
                continue
            if child.type in WORDS:
                word = self._word(child)
            elif child.type == "array":
                word = self._array(child)
            else:
                self._distrust()
                self._stack.append(child)
        text = self._text(node)
        name = text.partition("=")[0]
        self._steady.gives(name.removesuffix("+"), word.text, certainty=word.certainty)
        if name[-1:] == "+" or "[" in name:
            self._steady.forget(name.removesuffix("+").partition("[")[0])
        return Word(text, word.certainty, bare=False, plain=False)

    def _array(self, node: Node) -> Word:
        """`(a b)` behind `name=`."""
        self._check_gaps(node, node.children)
        words = [self._word(child) for child in node.named_children if child.type in WORDS]
        if len(words) < node.named_child_count:
            self._distrust()
        return Word(self._text(node), "unknown", bare=False, plain=False)

    def _program(self, node: Node) -> Word:
        word = self._word(node)
        if word.text in _RESERVED:  # the grammar lets some of bash's own words pass for programs
            self._distrust()
        return word if word.bare and node.type == "word" else word.but(bare=False, plain=False)

    def _redirected(self, node: Node) -> None:
        """The grammar takes arguments behind a redirection for further targets; they go back to the command."""
        children = node.children
        self._check_gaps(node, children)
        body = [child for child in children if child.type not in REDIRECTS]
        late: list[Word] = []
        for child in children:
            if child.type in REDIRECTS:
                late.extend(self._redirect(child))
        if late:
            self._plain = False
            self._late.append((last_command(body[-1]).id if body else -1, late))
        self._stack.extend(reversed(body))

    def _redirect(self, node: Node) -> list[Word]:
        """Notes a redirection; answers with the words behind its target."""
        operator = descriptor = ""
        words: list[Word] = []
        late: list[Word] = []
        word_end = -1
        for child in node.children:
            kind = child.type
            if kind == "file_descriptor":
                descriptor = self._text(child)
            elif kind in WORDS:
                torn = words.pop().text if words and child.start_byte == word_end else ""
                word = self._word(child)
                words.append(Word(torn + word.text, "unknown", bare=False, plain=False) if torn else word)
                word_end = child.end_byte
            elif kind in REDIRECTS:
                late.extend(self._redirect(child))
            elif child.is_named:
                self._stack.append(child)
            else:
                operator = operator or (READ_WRITE if kind == ">>" and self._text(child) == READ_WRITE else kind)
        if node.type == "heredoc_redirect":
            self._plain = self._readable = False
            self._here_documents += 1
            self._redirections.append(Redirection(operator, None, descriptor))
            return words + late
        self._check_gaps(node, node.children)
        self._redirections.append(Redirection(operator, words[0] if words else None, descriptor))
        return words[1:] + late

    def _give_back_late_words(self) -> None:
        for command_id, words in self._late:
            place = self._at.get(command_id)
            if place is None:
                self._readable = self._around_here_document = False
                self._commands.append(SimpleCommand(tuple(words)))
            else:
                command = self._commands[place]
                self._commands[place] = command.but(words=command.words + tuple(words))

    def _test(self, node: Node) -> None:
        """`[ … ]` is the program `[` in the grammar's disguise; `[[ … ]]` may evaluate arithmetic."""
        self._plain = self._around_here_document = False
        children = node.children
        if children[0].type != "[":
            self._conditional(node)
            return
        self._check_gaps(node, children)
        words = [Word("[")]
        pending = list(reversed(children[1:]))
        while pending:
            part = pending.pop()
            if part.type in TEST_PARTS:
                parts = part.children
                self._check_gaps(part, parts)
                pending.extend(reversed(parts))
            elif part.type in WORDS:
                words.append(self._number(part) or self._word(part))
            elif part.type == "test_operator" or not part.is_named:
                words.append(Word(self._text(part)))
            else:
                self._distrust()
                self._stack.append(part)
        self._commands.append(SimpleCommand(tuple(words)))

    def _loop(self, node: Node) -> None:
        """`for NAME in WORD…`: the words run nothing, the name must not be one that steers shells or programs."""
        self._plain = self._around_here_document = False
        children = node.children
        self._check_gaps(node, children)
        name = self._text(node.child_by_field_name("variable") or node)
        self._loop_names.add(name)
        if children[0].type != "for" or not name.islower() or name.endswith("path"):  # zsh ties `path` to PATH
            self._readable = False
        for child in reversed(children):
            if child.type in WORDS:
                if child.type != "variable_name":
                    word = self._word(child)
                    self._looped(name, word)
                    self._chosen.append((name, word))
            else:
                self._stack.append(child)

    def _looped(self, name: str, word: Word) -> None:
        """A path in the head of a loop is a value of its variable, as if it were assigned."""
        self._steady.gives(name, word.text, certainty=word.certainty)
        if word.certainty == "expanded" or word.text[:1] in ("/", "."):
            self._commands.append(SimpleCommand((), (Word(f"{name}={word.text}", word.certainty),)))


def _guesses(script: str) -> tuple[SimpleCommand, ...]:
    """What could be commands in text that is not a script to us. Crude on purpose: it only ever adds suspicion."""
    script = script.replace("\\\n", "")
    for separator in ";|&(){}`\r\0":
        script = script.replace(separator, "\n")
    guesses = []
    for line in script.split("\n"):
        words = line.replace(",", " ").replace("\\", "").replace('"', "").replace("'", "").split()
        words = [word for word in words if word.lstrip("012&")[:1] not in ("<", ">")]
        while words and (words[0] in COMMAND_FOLLOWS or words[0] == "-p"):
            del words[0]
        if words:
            guesses.append(SimpleCommand(tuple([Word(word, "unknown", bare=False, plain=False) for word in words])))
    return tuple(guesses)
