"""Contract suites borrow the doubles of the packages whose contracts they check."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "execution"))
