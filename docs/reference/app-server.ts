// The app-server protocol, as `sandgate app-server` speaks it.

/** The first message of a client. */
export interface InitializeParams {
  clientInfo: ClientInfo;
  capabilities?: ClientCapabilities | null;
}

/** Which program the client is. */
export interface ClientInfo {
  name: string;
  version: string;
  title?: string | null;
}

/** What the client can do, and which notifications it does not want, by their exact names. */
export interface ClientCapabilities {
  experimentalApi?: boolean | null;
  optOutNotificationMethods?: Array<string> | null;
  requestAttestation?: unknown; // Accepted, and without effect in this server.
  requiredHumanApproval?: unknown; // Accepted, and without effect in this server.
}

/** Which program the server is, and where it keeps what it keeps. */
export interface InitializeResult {
  userAgent: string;
  codexHome: string;
  platformFamily: string;
  platformOs: string;
}

/** Nothing need be said. */
export interface Empty {
}

/** Nobody signs in here: a provider's key is a variable or a setting. */
export interface AccountReadResult {
  account: unknown;
  userId: string | null;
  requiresOpenaiAuth: boolean;
  workspaceRouting: unknown;
}

/** Which models. */
export interface ModelListParams {
  cursor?: string | null;
  limit?: number | null;
  includeHidden?: boolean | null;
  modelProvider?: string | null;
}

/** The models that are configured. */
export interface ModelListResult {
  data: Array<Model>;
  nextCursor: string | null;
}

/** A model that can be chosen. */
export interface Model {
  id: string;
  model: string;
  upgrade: string | null;
  upgradeInfo: unknown;
  availabilityNux: unknown;
  displayName: string;
  description: string;
  modelSpecialty: string | null;
  hidden: boolean;
  supportedReasoningEfforts: Array<ReasoningEffortOption>;
  defaultReasoningEffort: string;
  inputModalities: Array<string>;
  supportsPersonality: boolean;
  multiAgentVersion: string | null;
  additionalSpeedTiers: Array<string>;
  serviceTiers: Array<unknown>;
  defaultServiceTier: string | null;
  availableAccessPrograms: unknown;
  isDefault: boolean;
}

/** One way to think. */
export interface ReasoningEffortOption {
  reasoningEffort: string;
  description: string;
}

/** In which directory, and whether layer by layer. */
export interface ConfigReadParams {
  includeLayers?: boolean | null;
  cwd?: string | null;
}

/** What is in force, where each key comes from, and the layers, the highest first. */
export interface ConfigReadResult {
  config: Record<string, unknown>;
  origins: Record<string, unknown>;
  layers?: Array<ConfigLayer> | null;
}

/** Where a setting comes from. `version` is a digest of the layer's values. */
export interface ConfigLayerMetadata {
  name: UserLayer | ProjectLayer | SystemLayer | SessionLayer;
  version: string;
}

/** A file of the user's; with a profile, what that says. */
export interface UserLayer {
  type: "user";
  file: string;
  profile: string | null;
}

/** The folder of a project that has its settings. */
export interface ProjectLayer {
  type: "project";
  dotCodexFolder: string;
}

/** A file of the administrator's. */
export interface SystemLayer {
  type: "system";
  file: string;
}

/** Options of the server's command line. */
export interface SessionLayer {
  type: "sessionFlags";
}

/** One layer of the configuration. */
export interface ConfigLayer {
  name: UserLayer | ProjectLayer | SystemLayer | SessionLayer;
  version: string;
  config: Record<string, unknown>;
}

/** What an administrator demands; null: nothing. */
export interface ConfigRequirementsResult {
  supportsIndependentSpeedModes: boolean;
  requirements: unknown;
}

/** For which directories. */
export interface DirectoriesParams {
  cwds?: Array<string> | null;
  threadId?: unknown; // Accepted, and without effect in this server.
  forceReload?: unknown; // Accepted, and without effect in this server.
}

/** One entry a directory. */
export interface SkillsListResult {
  data: Array<SkillsOfDirectory>;
}

/** There are none. */
export interface SkillsOfDirectory {
  cwd: string;
  skills: Array<unknown>;
  errors: Array<unknown>;
}

/** One entry a directory. */
export interface HooksListResult {
  data: Array<HooksOfDirectory>;
}

/** There are none. */
export interface HooksOfDirectory {
  cwd: string;
  hooks: Array<unknown>;
  warnings: Array<string>;
  errors: Array<unknown>;
}

/** The ways of working together. */
export interface CollaborationModesResult {
  data: Array<CollaborationMode>;
}

/** A way of working together. */
export interface CollaborationMode {
  name: string;
  mode: string;
  model: string | null;
  reasoning_effort: string | null;
}

/** What holds for a thread from its start; `config` has settings as after `-c`, by dotted key. */
export interface ThreadSettings {
  model?: string | null;
  modelProvider?: string | null;
  cwd?: string | null;
  approvalPolicy?: "untrusted" | "on-failure" | "on-request" | "never" | null;
  approvalsReviewer?: "user" | "auto_review" | null;
  sandbox?: "read-only" | "workspace-write" | "danger-full-access" | null;
  config?: Record<string, unknown> | null;
  baseInstructions?: null;
  developerInstructions?: null;
  runtimeWorkspaceRoots?: unknown; // Accepted, and without effect in this server.
  permissions?: null;
  serviceName?: unknown; // Accepted, and without effect in this server.
  serviceTier?: unknown; // Accepted, and without effect in this server.
  personality?: unknown; // Accepted, and without effect in this server.
  multiAgentMode?: unknown; // Accepted, and without effect in this server.
  sessionStartSource?: unknown; // Accepted, and without effect in this server.
  projectId?: unknown; // Accepted, and without effect in this server.
  daybreakEnabled?: unknown; // Accepted, and without effect in this server.
  environments?: unknown; // Accepted, and without effect in this server.
  dynamicTools?: unknown; // Accepted, and without effect in this server.
  selectedCapabilityRoots?: unknown; // Accepted, and without effect in this server.
  mockExperimentalField?: unknown; // Accepted, and without effect in this server.
  historyMode?: unknown; // Accepted, and without effect in this server.
  threadSource?: string | null;
  ephemeral?: boolean | null;
}

/** A thread that was started, goes on, or is a copy, and what holds for it. */
export interface ThreadOpened {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: Array<string>;
  cwd: string;
  runtimeWorkspaceRoots: Array<string>;
  instructionSources: Array<string>;
  approvalPolicy: "untrusted" | "on-request" | "never" | Granular;
  approvalsReviewer: "user" | "auto_review";
  sandbox: DangerFullAccess | ReadOnly | WorkspaceWrite | ExternalSandbox;
  activePermissionProfile: unknown;
  reasoningEffort: string | null;
  multiAgentMode: string;
}

/** A session. `turns` are there where they were asked for. */
export interface Thread {
  id: string;
  environments: Array<ThreadEnvironment>;
  extra: unknown;
  sessionId: string;
  forkedFromId: string | null;
  attachedToThreadId: string | null;
  parentThreadId: string | null;
  preview: string;
  ephemeral: boolean;
  section: unknown;
  sectionEnteredAt: number | null;
  projectId: string | null;
  historyMode: string;
  modelProvider: string;
  model: string | null;
  reasoningEffort: string | null;
  createdAt: number;
  updatedAt: number;
  recencyAt: number;
  status: NotLoaded | Idle | SystemError | Active;
  path: string | null;
  cwd: string;
  cliVersion: string;
  originator: string;
  source: "cli" | "vscode" | "exec" | "appServer" | "unknown" | SubAgentSource;
  canAcceptDirectInput: boolean;
  threadSource: string | null;
  agentNickname: string | null;
  agentRole: string | null;
  gitInfo: GitInfo | null;
  name: string | null;
  daybreakEnabled: boolean | null;
  turns: Array<Turn>;
}

/** Where the commands of a thread run. */
export interface ThreadEnvironment {
  environmentId: string;
  cwd: string;
  runtimeWorkspaceRoots: Array<string>;
}

/** It is on disk alone. */
export interface NotLoaded {
  type: "notLoaded";
}

/** It waits for somebody to say something. */
export interface Idle {
  type: "idle";
}

/** It has ended, though nobody wanted that. */
export interface SystemError {
  type: "systemError";
}

/** A turn runs. */
export interface Active {
  type: "active";
  activeFlags: Array<"waitingOnApproval" | "waitingOnUserInput">;
}

/** The thread works for another one. */
export interface SubAgentSource {
  subAgent: OtherSubAgent;
}

/** A sub-agent, of whatever kind. */
export interface OtherSubAgent {
  other: string;
}

/** Of the directory a thread began in. */
export interface GitInfo {
  sha: string | null;
  branch: string | null;
  originUrl: string | null;
}

/** From something said to the end of the answer. `itemsView` says how many of its items are here. */
export interface Turn {
  id: string;
  rootTurnId: string;
  items: Array<UserMessageItem | AgentMessageItem | ReasoningItem | CommandExecutionItem | FileChangeItem | McpToolCallItem | WebSearchItem | ImageViewItem | ContextCompactionItem>;
  itemsView: "notLoaded" | "summary" | "full";
  status: "inProgress" | "completed" | "interrupted" | "failed";
  error: TurnError | null;
  startedAt: number | null;
  completedAt: number | null;
  durationMs: number | null;
}

/** What the person said. */
export interface UserMessageItem {
  type: "userMessage";
  id: string;
  clientId: string | null;
  content: Array<TextInput | ImageInput | LocalImageInput>;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** Something the person says. */
export interface TextInput {
  type: "text";
  text: string;
  text_elements?: Array<unknown>;
}

/** A picture, as an address or a `data:` URL. */
export interface ImageInput {
  type: "image";
  url: string;
}

/** A picture on the machine of the server. */
export interface LocalImageInput {
  type: "localImage";
  path: string;
}

/** What the model said. */
export interface AgentMessageItem {
  type: "agentMessage";
  moderation: unknown;
  id: string;
  text: string;
  phase: string | null;
  memoryCitation: unknown;
  delivery: unknown;
  questions: unknown;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** What the model thought, as far as it is told. */
export interface ReasoningItem {
  type: "reasoning";
  id: string;
  summary: Array<string>;
  content: Array<string>;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** A command, from the question about it to its end. */
export interface CommandExecutionItem {
  type: "commandExecution";
  id: string;
  pluginId: string | null;
  scriptPath: string | null;
  command: string;
  cwd: string;
  processId: string | null;
  source: "agent" | "userShell" | "unifiedExecStartup" | "unifiedExecInteraction";
  status: "inProgress" | "completed" | "failed" | "declined";
  commandActions: Array<ReadAction | ListFilesAction | SearchAction | UnknownAction>;
  aggregatedOutput: string | null;
  exitCode: number | null;
  durationMs: number | null;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** It reads a file. */
export interface ReadAction {
  type: "read";
  command: string;
  name: string;
  path: string;
}

/** It lists files. */
export interface ListFilesAction {
  type: "listFiles";
  command: string;
  path: string | null;
}

/** It looks for something. */
export interface SearchAction {
  type: "search";
  command: string;
  query: string | null;
  path: string | null;
}

/** It does something else. */
export interface UnknownAction {
  type: "unknown";
  command: string;
}

/** A patch. */
export interface FileChangeItem {
  type: "fileChange";
  id: string;
  changes: Array<FileUpdateChange>;
  status: "inProgress" | "completed" | "failed" | "declined";
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** One file of a patch. */
export interface FileUpdateChange {
  path: string;
  kind: AddKind | DeleteKind | UpdateKind;
  diff: string;
}

/** A new file. */
export interface AddKind {
  type: "add";
}

/** A file less. */
export interface DeleteKind {
  type: "delete";
}

/** A file changes, and may move. */
export interface UpdateKind {
  type: "update";
  move_path?: string | null;
}

/** A call of a tool that a server of others has. */
export interface McpToolCallItem {
  type: "mcpToolCall";
  id: string;
  server: string;
  tool: string;
  status: "inProgress" | "completed" | "failed";
  arguments: unknown;
  result: unknown;
  error: unknown;
  durationMs: number | null;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** The provider searches the web. */
export interface WebSearchItem {
  type: "webSearch";
  id: string;
  query: string;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** The model looks at a picture. */
export interface ImageViewItem {
  type: "imageView";
  id: string;
  path: string;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** The history was replaced by a summary. */
export interface ContextCompactionItem {
  type: "contextCompaction";
  id: string;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** Why a turn failed. */
export interface TurnError {
  message: string;
  codexErrorInfo: unknown;
  additionalDetails: string | null;
}

/** Some kinds of questions are asked. */
export interface Granular {
  granular: GranularChoices;
}

/** Of each kind of question: whether it is asked, or answered with no by itself. */
export interface GranularChoices {
  sandbox_approval: boolean;
  rules: boolean;
  mcp_elicitations: boolean;
  skill_approval?: boolean;
  request_permissions?: boolean;
}

/** No sandbox. */
export interface DangerFullAccess {
  type: "dangerFullAccess";
}

/** Nothing may be written. */
export interface ReadOnly {
  type: "readOnly";
  networkAccess?: boolean;
}

/** The workspace may be written, and what is named beside it. */
export interface WorkspaceWrite {
  type: "workspaceWrite";
  writableRoots?: Array<string>;
  networkAccess?: boolean;
  excludeTmpdirEnvVar?: boolean;
  excludeSlashTmp?: boolean;
}

/** Somebody else confines. */
export interface ExternalSandbox {
  type: "externalSandbox";
  networkAccess: "restricted" | "enabled";
}

/** Which thread goes on. */
export interface ThreadResumeParams {
  model?: string | null;
  modelProvider?: string | null;
  cwd?: string | null;
  approvalPolicy?: "untrusted" | "on-failure" | "on-request" | "never" | null;
  approvalsReviewer?: "user" | "auto_review" | null;
  sandbox?: "read-only" | "workspace-write" | "danger-full-access" | null;
  config?: Record<string, unknown> | null;
  baseInstructions?: null;
  developerInstructions?: null;
  runtimeWorkspaceRoots?: unknown; // Accepted, and without effect in this server.
  permissions?: null;
  serviceName?: unknown; // Accepted, and without effect in this server.
  serviceTier?: unknown; // Accepted, and without effect in this server.
  personality?: unknown; // Accepted, and without effect in this server.
  multiAgentMode?: unknown; // Accepted, and without effect in this server.
  sessionStartSource?: unknown; // Accepted, and without effect in this server.
  projectId?: unknown; // Accepted, and without effect in this server.
  daybreakEnabled?: unknown; // Accepted, and without effect in this server.
  environments?: unknown; // Accepted, and without effect in this server.
  dynamicTools?: unknown; // Accepted, and without effect in this server.
  selectedCapabilityRoots?: unknown; // Accepted, and without effect in this server.
  mockExperimentalField?: unknown; // Accepted, and without effect in this server.
  historyMode?: unknown; // Accepted, and without effect in this server.
  threadSource?: string | null;
  ephemeral?: boolean | null;
  threadId: string;
  excludeTurns?: boolean | null;
  history?: null;
  path?: unknown; // Accepted, and without effect in this server.
  initialTurnsPage?: unknown; // Accepted, and without effect in this server.
}

/** Which thread is copied. */
export interface ThreadForkParams {
  model?: string | null;
  modelProvider?: string | null;
  cwd?: string | null;
  approvalPolicy?: "untrusted" | "on-failure" | "on-request" | "never" | null;
  approvalsReviewer?: "user" | "auto_review" | null;
  sandbox?: "read-only" | "workspace-write" | "danger-full-access" | null;
  config?: Record<string, unknown> | null;
  baseInstructions?: null;
  developerInstructions?: null;
  runtimeWorkspaceRoots?: unknown; // Accepted, and without effect in this server.
  permissions?: null;
  serviceName?: unknown; // Accepted, and without effect in this server.
  serviceTier?: unknown; // Accepted, and without effect in this server.
  personality?: unknown; // Accepted, and without effect in this server.
  multiAgentMode?: unknown; // Accepted, and without effect in this server.
  sessionStartSource?: unknown; // Accepted, and without effect in this server.
  projectId?: unknown; // Accepted, and without effect in this server.
  daybreakEnabled?: unknown; // Accepted, and without effect in this server.
  environments?: unknown; // Accepted, and without effect in this server.
  dynamicTools?: unknown; // Accepted, and without effect in this server.
  selectedCapabilityRoots?: unknown; // Accepted, and without effect in this server.
  mockExperimentalField?: unknown; // Accepted, and without effect in this server.
  historyMode?: unknown; // Accepted, and without effect in this server.
  threadSource?: string | null;
  ephemeral?: boolean | null;
  threadId: string;
}

/** Which threads, and where in their list; newest first. */
export interface ThreadListParams {
  cursor?: string | null;
  limit?: number | null;
  archived?: boolean | null;
  cwd?: string | null;
  searchTerm?: string | null;
  modelProviders?: Array<string> | null;
  sourceKinds?: Array<string> | null;
  sectionId?: string | null;
  sortKey?: unknown; // Accepted, and without effect in this server.
  sortDirection?: unknown; // Accepted, and without effect in this server.
  currentAccountOnly?: unknown; // Accepted, and without effect in this server.
  excludedThreadIds?: Array<string> | null;
  originators?: unknown; // Accepted, and without effect in this server.
  useStateDbOnly?: unknown; // Accepted, and without effect in this server.
  parentThreadId?: string | null;
  ancestorThreadId?: null;
  attachedToThreadId?: null;
}

/** A page of threads. */
export interface ThreadListResult {
  data: Array<Thread>;
  readStates: Record<string, unknown>;
  nextCursor: string | null;
  backwardsCursor: string | null;
}

/** Where in a list. */
export interface PageParams {
  cursor?: string | null;
  limit?: number | null;
}

/** The ids of the threads that are open here. */
export interface LoadedThreads {
  data: Array<string>;
  nextCursor: string | null;
}

/** Which thread, and whether with its turns. */
export interface ThreadReadParams {
  threadId: string;
  includeTurns?: boolean | null;
}

/** One thread. */
export interface ThreadReadResult {
  thread: Thread;
  readState: unknown;
}

/** Which turns of a thread. */
export interface ThreadTurnsParams {
  threadId: string;
  cursor?: string | null;
  limit?: number | null;
  sortDirection?: "asc" | "desc" | null;
  itemsView?: "notLoaded" | "summary" | "full" | null;
}

/** A page of turns. */
export interface ThreadTurnsResult {
  data: Array<Turn>;
  nextCursor: string | null;
  backwardsCursor: string | null;
}

/** Which items of a thread: of one turn, or of all. */
export interface ThreadItemsParams {
  threadId: string;
  turnId?: string | null;
  cursor?: string | null;
  limit?: number | null;
  sortDirection?: "asc" | "desc" | null;
  deferOutput?: unknown; // Accepted, and without effect in this server.
}

/** A page of items. */
export interface ThreadItemsResult {
  data: Array<ThreadItemEntry>;
  nextCursor: string | null;
  backwardsCursor: string | null;
}

/** One item, and the turn it belongs to. */
export interface ThreadItemEntry {
  turnId: string;
  item: UserMessageItem | AgentMessageItem | ReasoningItem | CommandExecutionItem | FileChangeItem | McpToolCallItem | WebSearchItem | ImageViewItem | ContextCompactionItem;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** What a thread is to be called. */
export interface ThreadNameParams {
  threadId: string;
  name: string;
}

/** It was done. */
export interface Nothing {
}

/** What is to hold from the next turn on. */
export interface ThreadSettingsParams {
  threadId: string;
  cwd?: string | null;
  approvalPolicy?: "untrusted" | "on-failure" | "on-request" | "never" | Granular | null;
  approvalsReviewer?: "user" | "auto_review" | null;
  sandboxPolicy?: DangerFullAccess | ReadOnly | WorkspaceWrite | ExternalSandbox | null;
  model?: string | null;
  effort?: string | null;
  summary?: string | null;
  collaborationMode?: ModeAsked | null;
  permissions?: null;
  disabledPluginIds?: unknown; // Accepted, and without effect in this server.
  environments?: unknown; // Accepted, and without effect in this server.
  multiAgentMode?: unknown; // Accepted, and without effect in this server.
  personality?: unknown; // Accepted, and without effect in this server.
  serviceTier?: unknown; // Accepted, and without effect in this server.
}

/** The only mode is `default`. */
export interface ModeAsked {
  mode: "default";
  settings: ModeSettings;
}

/** The model of the mode, and how it thinks; they go before those that stand beside the mode. */
export interface ModeSettings {
  model?: string | null;
  reasoning_effort?: string | null;
  developer_instructions?: unknown; // Accepted, and without effect in this server.
}

/** Which thread. */
export interface ThreadParams {
  threadId: string;
}

/** Whether the client had been watching. */
export interface UnsubscribeResult {
  status: "unsubscribed" | "notSubscribed" | "notLoaded";
}

/** What is said. What stands beside it holds from this turn on; `outputSchema` for this turn alone. */
export interface TurnStartParams {
  threadId: string;
  input: Array<TextInput | ImageInput | LocalImageInput>;
  clientUserMessageId?: string | null;
  cwd?: string | null;
  approvalPolicy?: "untrusted" | "on-failure" | "on-request" | "never" | Granular | null;
  approvalsReviewer?: "user" | "auto_review" | null;
  sandboxPolicy?: DangerFullAccess | ReadOnly | WorkspaceWrite | ExternalSandbox | null;
  model?: string | null;
  effort?: string | null;
  summary?: string | null;
  outputSchema?: Record<string, unknown> | null;
  disabledPluginIds?: unknown; // Accepted, and without effect in this server.
  turnTrigger?: unknown; // Accepted, and without effect in this server.
  parentTurnId?: unknown; // Accepted, and without effect in this server.
  rootTurnId?: unknown; // Accepted, and without effect in this server.
  toolOutput?: null;
  responsesapiClientMetadata?: unknown; // Accepted, and without effect in this server.
  responsesapiClientMetadataPatch?: unknown; // Accepted, and without effect in this server.
  additionalContext?: null;
  environments?: unknown; // Accepted, and without effect in this server.
  runtimeWorkspaceRoots?: unknown; // Accepted, and without effect in this server.
  permissions?: null;
  serviceTier?: unknown; // Accepted, and without effect in this server.
  serviceTierForTurn?: unknown; // Accepted, and without effect in this server.
  personality?: unknown; // Accepted, and without effect in this server.
  collaborationMode?: ModeAsked | null;
  multiAgentMode?: unknown; // Accepted, and without effect in this server.
  cyberAccessProgram?: unknown; // Accepted, and without effect in this server.
}

/** The turn that begins. */
export interface TurnStartResult {
  turn: Turn;
}

/** What is said to the turn that runs, if it is that one. */
export interface TurnSteerParams {
  threadId: string;
  input: Array<TextInput | ImageInput | LocalImageInput>;
  expectedTurnId: string;
  clientUserMessageId?: string | null;
  responsesapiClientMetadata?: unknown; // Accepted, and without effect in this server.
  responsesapiClientMetadataPatch?: unknown; // Accepted, and without effect in this server.
  additionalContext?: null;
}

/** The turn that hears it. */
export interface TurnSteerResult {
  turnId: string;
}

/** What is to run, and how. `env` adds variables; null takes one away. Sizes in bytes. */
export interface CommandExecParams {
  command: Array<string>;
  processId?: string | null;
  tty?: boolean;
  streamStdin?: boolean;
  streamStdoutStderr?: boolean;
  outputBytesCap?: number | null;
  disableOutputCap?: boolean;
  timeoutMs?: number | null;
  disableTimeout?: boolean;
  cwd?: string | null;
  env?: Record<string, unknown> | null;
  size?: TerminalSize | null;
  sandboxPolicy?: DangerFullAccess | ReadOnly | WorkspaceWrite | ExternalSandbox | null;
  permissionProfile?: null;
}

/** In characters. */
export interface TerminalSize {
  rows: number;
  cols: number;
}

/** How it ended: 124 after its time limit. What was streamed is not here again. */
export interface CommandExecResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Bytes for its input, in Base64, and whether that was all. */
export interface CommandExecWriteParams {
  processId: string;
  deltaBase64?: string | null;
  closeStdin?: boolean;
}

/** Another size of its terminal. */
export interface CommandExecResizeParams {
  processId: string;
  size: TerminalSize;
}

/** Which one is to end. */
export interface CommandExecTerminateParams {
  processId: string;
}

/** Which turn is to end. */
export interface TurnInterruptParams {
  threadId: string;
  turnId: string;
}

/** A question about a command. `reason` has what it is about, the risk, and what a yes gives. `approvalId` is there where the same command is asked about again, after or in the middle of a run. */
export interface CommandApprovalParams {
  kind: "command";
  threadId: string;
  turnId: string;
  itemId: string;
  startedAtMs: number;
  approvalId?: string | null;
  environmentId?: string | null;
  reason?: string | null;
  command?: string | null;
  cwd?: string | null;
  commandActions?: Array<ReadAction | ListFilesAction | SearchAction | UnknownAction> | null;
  proposedExecpolicyAmendment?: Array<string> | null;
  availableDecisions?: Array<"accept" | "acceptForSession" | "decline" | "cancel" | AcceptWithAmendment> | null;
  risk?: Risk | null;
}

/** Yes, and the offered rule is saved. */
export interface AcceptWithAmendment {
  acceptWithExecpolicyAmendment: AmendmentPrefix;
}

/** The words that commands of the rule begin with. */
export interface AmendmentPrefix {
  execpolicy_amendment: Array<string>;
}

/** What could go wrong, in words. */
export interface Risk {
  description: string;
  riskLevel: "low" | "medium" | "high";
  riskCategories?: Array<string>;
}

/** What the person decided. */
export interface CommandApprovalAnswer {
  decision: "accept" | "acceptForSession" | "decline" | "cancel" | AcceptWithAmendment;
}

/** A question about a patch; the item of that id has what it does. */
export interface FileChangeApprovalParams {
  threadId: string;
  turnId: string;
  itemId: string;
  startedAtMs: number;
  reason?: string | null;
  grantRoot?: string | null;
  risk?: Risk | null;
}

/** What the person decided. */
export interface FileChangeApprovalAnswer {
  decision: "accept" | "acceptForSession" | "decline" | "cancel";
}

/** A thread is open. */
export interface ThreadStarted {
  thread: Thread;
}

/** It works, waits, or waits for an answer. */
export interface ThreadStatusChanged {
  threadId: string;
  status: NotLoaded | Idle | SystemError | Active;
}

/** Something else holds for it. */
export interface ThreadSettingsUpdated {
  threadId: string;
  threadSettings: SettingsInForce;
}

/** What holds for a thread. */
export interface SettingsInForce {
  disabledPluginIds: Array<string>;
  cwd: string;
  environments: Array<ThreadEnvironment>;
  approvalPolicy: "untrusted" | "on-request" | "never" | Granular;
  approvalsReviewer: "user" | "auto_review";
  sandboxPolicy: DangerFullAccess | ReadOnly | WorkspaceWrite | ExternalSandbox;
  activePermissionProfile: unknown;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  effort: string | null;
  summary: string | null;
  collaborationMode: ModeAsked;
  multiAgentMode: string;
  personality: string | null;
}

/** It has another name. */
export interface ThreadNamed {
  threadId: string;
  threadName: string | null;
}

/** Which thread. */
export interface ThreadOnly {
  threadId: string;
}

/** Tokens were used. */
export interface TokenUsageUpdated {
  threadId: string;
  turnId: string;
  tokenUsage: ThreadTokenUsage;
}

/** Of the whole thread, and of the last request. */
export interface ThreadTokenUsage {
  total: TokenUsageBreakdown;
  last: TokenUsageBreakdown;
  modelContextWindow: number | null;
}

/** Tokens, counted. */
export interface TokenUsageBreakdown {
  totalTokens: number;
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
}

/** A turn begins, or is over. */
export interface TurnChanged {
  threadId: string;
  turn: Turn;
}

/** Everything the turn's patches have changed so far. */
export interface TurnDiffUpdated {
  threadId: string;
  turnId: string;
  diff: string;
}

/** What the model is going to do, and how far it is. */
export interface TurnPlanUpdated {
  threadId: string;
  turnId: string;
  explanation: string | null;
  plan: Array<PlanStep>;
}

/** One step. */
export interface PlanStep {
  step: string;
  status: "pending" | "inProgress" | "completed";
}

/** An item begins. */
export interface ItemStarted {
  item: UserMessageItem | AgentMessageItem | ReasoningItem | CommandExecutionItem | FileChangeItem | McpToolCallItem | WebSearchItem | ImageViewItem | ContextCompactionItem;
  threadId: string;
  turnId: string;
  startedAtMs: number;
}

/** An item is over. Every item that began has one, before the end of its turn. */
export interface ItemCompleted {
  item: UserMessageItem | AgentMessageItem | ReasoningItem | CommandExecutionItem | FileChangeItem | McpToolCallItem | WebSearchItem | ImageViewItem | ContextCompactionItem;
  threadId: string;
  turnId: string;
  contentTokenCount: number | null;
  completedAtMs: number;
}

/** A piece of an item: text of the model, or output of a command. */
export interface ItemDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
}

/** A piece of a summary of what the model thought. */
export interface SummaryTextDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  summaryIndex: number;
}

/** Another part of the summary begins. */
export interface SummaryPartAdded {
  threadId: string;
  turnId: string;
  itemId: string;
  summaryIndex: number;
}

/** Something was typed into a live command; empty: the model looked at it. */
export interface TerminalInteraction {
  threadId: string;
  turnId: string;
  itemId: string;
  processId: string;
  stdin: string;
}

/** A piece of its output, in Base64. `capReached`: what follows on this stream is not told. */
export interface CommandOutputDelta {
  processId: string;
  stream: "stdout" | "stderr";
  deltaBase64: string;
  capReached: boolean;
}

/** A question is answered or gone: a client that shows it takes it down. */
export interface RequestResolved {
  threadId: string;
  requestId: number | string;
}

/** The turn failed, or a request is tried again. */
export interface ErrorTold {
  error: TurnError;
  willRetry: boolean;
  threadId: string;
  turnId: string;
}

/** Something is not as it should be, and it goes on. */
export interface Warned {
  message: string;
  threadId?: string | null;
}

/** A setting has a new name. */
export interface DeprecationNotice {
  summary: string;
  details?: string | null;
}

/** What a client may ask. */
export type ClientRequest =
  | { id: number | string; method: "initialize"; params: InitializeParams }
  | { id: number | string; method: "account/read"; params?: Empty }
  | { id: number | string; method: "model/list"; params?: ModelListParams }
  | { id: number | string; method: "config/read"; params?: ConfigReadParams }
  | { id: number | string; method: "configRequirements/read"; params?: Empty }
  | { id: number | string; method: "skills/list"; params?: DirectoriesParams }
  | { id: number | string; method: "hooks/list"; params?: DirectoriesParams }
  | { id: number | string; method: "collaborationMode/list"; params?: Empty }
  | { id: number | string; method: "thread/start"; params?: ThreadSettings }
  | { id: number | string; method: "thread/resume"; params: ThreadResumeParams }
  | { id: number | string; method: "thread/fork"; params: ThreadForkParams }
  | { id: number | string; method: "thread/list"; params?: ThreadListParams }
  | { id: number | string; method: "thread/loaded/list"; params?: PageParams }
  | { id: number | string; method: "thread/read"; params: ThreadReadParams }
  | { id: number | string; method: "thread/turns/list"; params: ThreadTurnsParams }
  | { id: number | string; method: "thread/items/list"; params: ThreadItemsParams }
  | { id: number | string; method: "thread/name/set"; params: ThreadNameParams }
  | { id: number | string; method: "thread/settings/update"; params: ThreadSettingsParams }
  | { id: number | string; method: "thread/archive"; params: ThreadParams }
  | { id: number | string; method: "thread/unarchive"; params: ThreadParams }
  | { id: number | string; method: "thread/unsubscribe"; params: ThreadParams }
  | { id: number | string; method: "turn/start"; params: TurnStartParams }
  | { id: number | string; method: "turn/steer"; params: TurnSteerParams }
  | { id: number | string; method: "command/exec"; params: CommandExecParams }
  | { id: number | string; method: "command/exec/write"; params: CommandExecWriteParams }
  | { id: number | string; method: "command/exec/resize"; params: CommandExecResizeParams }
  | { id: number | string; method: "command/exec/terminate"; params: CommandExecTerminateParams }
  | { id: number | string; method: "turn/interrupt"; params: TurnInterruptParams };

/** What a client is asked. */
export type ServerRequest =
  | { id: number | string; method: "item/commandExecution/requestApproval"; params: CommandApprovalParams }
  | { id: number | string; method: "item/fileChange/requestApproval"; params: FileChangeApprovalParams };

/** What a client may tell. */
export type ClientNotification =
  | { method: "initialized" };

/** What a client is told. */
export type ServerNotification =
  | { method: "thread/started"; params: ThreadStarted }
  | { method: "thread/status/changed"; params: ThreadStatusChanged }
  | { method: "thread/settings/updated"; params: ThreadSettingsUpdated }
  | { method: "thread/name/updated"; params: ThreadNamed }
  | { method: "thread/closed"; params: ThreadOnly }
  | { method: "thread/archived"; params: ThreadOnly }
  | { method: "thread/unarchived"; params: ThreadOnly }
  | { method: "thread/tokenUsage/updated"; params: TokenUsageUpdated }
  | { method: "turn/started"; params: TurnChanged }
  | { method: "turn/completed"; params: TurnChanged }
  | { method: "turn/diff/updated"; params: TurnDiffUpdated }
  | { method: "turn/plan/updated"; params: TurnPlanUpdated }
  | { method: "item/started"; params: ItemStarted }
  | { method: "item/completed"; params: ItemCompleted }
  | { method: "item/agentMessage/delta"; params: ItemDelta }
  | { method: "item/reasoning/summaryTextDelta"; params: SummaryTextDelta }
  | { method: "item/reasoning/summaryPartAdded"; params: SummaryPartAdded }
  | { method: "item/commandExecution/outputDelta"; params: ItemDelta }
  | { method: "item/commandExecution/terminalInteraction"; params: TerminalInteraction }
  | { method: "command/exec/outputDelta"; params: CommandOutputDelta }
  | { method: "serverRequest/resolved"; params: RequestResolved }
  | { method: "error"; params: ErrorTold }
  | { method: "warning"; params: Warned }
  | { method: "deprecationNotice"; params: DeprecationNotice };

/** What answers a request, by its name. */
export interface Results {
  "initialize": InitializeResult;
  "account/read": AccountReadResult;
  "model/list": ModelListResult;
  "config/read": ConfigReadResult;
  "configRequirements/read": ConfigRequirementsResult;
  "skills/list": SkillsListResult;
  "hooks/list": HooksListResult;
  "collaborationMode/list": CollaborationModesResult;
  "thread/start": ThreadOpened;
  "thread/resume": ThreadOpened;
  "thread/fork": ThreadOpened;
  "thread/list": ThreadListResult;
  "thread/loaded/list": LoadedThreads;
  "thread/read": ThreadReadResult;
  "thread/turns/list": ThreadTurnsResult;
  "thread/items/list": ThreadItemsResult;
  "thread/name/set": Nothing;
  "thread/settings/update": Nothing;
  "thread/archive": Nothing;
  "thread/unarchive": ThreadReadResult;
  "thread/unsubscribe": UnsubscribeResult;
  "turn/start": TurnStartResult;
  "turn/steer": TurnSteerResult;
  "command/exec": CommandExecResult;
  "command/exec/write": Nothing;
  "command/exec/resize": Nothing;
  "command/exec/terminate": Nothing;
  "turn/interrupt": Nothing;
  "item/commandExecution/requestApproval": CommandApprovalAnswer;
  "item/fileChange/requestApproval": FileChangeApprovalAnswer;
}
