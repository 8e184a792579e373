"""The site. `python -m sphinx -W --keep-going -n docs target/docs` builds it (index.md)."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

project = "Dumbbell"
author = "The authors of Dumbbell"
project_copyright = "MIT or Apache-2.0"
language = "en"
# A name such as bwe' keeps its mark.
smartquotes = False

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "dumbbell_site"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_ext"]
nitpicky = True

# The pages are plain Markdown, so that they also read well where the repository is shown.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Notebooks are stored with their outputs; a test executes them.
nb_execution_mode = "off"
# What widgets would need comes from another server.
nb_ipywidgets_js = {}

# Docstrings have the sections of Google's style, and single backticks around code.
default_role = "code"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
# Docstrings begin with a sentence.
autodoc_docstring_signature = False
autodoc_typehints_format = "short"
# Names of other libraries, and those that annotations have for themselves, have no page here.
nitpick_ignore_regex = [
    (
        r"py:.*",
        r"(collections|concurrent|os|typing|pathlib|numpy|pandas|polars|pyarrow|matplotlib|distributed|gymnasium|tqdm)\..*",
    ),
    (r"py:.*", r"PathLike|_native\..*|dumbbell(\.\w+)?\._.*"),
]

html_theme = "furo"
html_title = "Dumbbell"
# Besides, the built page of the lab: _static/lab.html.
html_static_path = ["_static", "../crates/web/page/dist"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
