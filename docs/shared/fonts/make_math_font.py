"""Make math.woff2: the part of Latin Modern Math that the pages use.

    pip install fonttools brotli
    python docs/shared/fonts/make_math_font.py latinmodern-math.otf

The GUST Font License asks a changed font to take another name, so this one is
"Runnable Notes Math". Script-size variants (`ssty`) are left out: they treble
the size, and browsers shrink the normal glyphs well.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

RANGES = [
    (0x20, 0x7E), (0x391, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D5), (0x3F5, 0x3F5),
    (0x1D400, 0x1D467),  # Latin bold, italic
    (0x1D49C, 0x1D4B5),  # script capitals
    (0x1D51E, 0x1D537),  # Fraktur small: so(3), se(3)
    (0x1D538, 0x1D551),  # double-struck capitals
    (0x1D6A8, 0x1D71B),  # Greek bold, italic
]
SIGNS = (
    "\u00a0¬±·×÷ı\u0302\u0303\u0304\u0307\u0308\u20d7ˆ˜¯˙¨‖…′″‾ℎℏℂℕℙℚℝℤℓℒℱℰℬℋℐℳℛ"
    "←↑→↓↔↦⇐⇒⇔⟶⟹∀∂∃∅∆∇∈∉∋∏∑−∓∕∖∗∘∙√∝∞∠∣∥∧∨∩∪∫∬∮∴∼≃≅≈≔≠≡≤≥≪≫≺≻⊂⊃⊆⊇⊕⊖⊗⊘⊙⊤⊥⋀⋁⋂⋃⋅⋆⋮⋯⋱"
    "⌈⌉⌊⌋⟨⟩⏞⏟□△"
)


def main(source: Path) -> None:
    options = subset.Options(
        flavor="woff2", hinting=False, layout_features=["kern"],
        name_IDs=[0, 1, 2, 3, 4, 6, 13, 14], drop_tables=["FFTM"],
    )
    font = TTFont(source)
    subsetter = subset.Subsetter(options)
    subsetter.populate(
        text=SIGNS,
        unicodes=[c for first, last in RANGES for c in range(first, last + 1)])
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4):
            record.string = "Runnable Notes Math"
        if record.nameID == 6:
            record.string = "RunnableNotesMath"
    cff = font["CFF "].cff
    cff.fontNames = ["RunnableNotesMath"]
    cff.topDictIndex[0].FullName = "Runnable Notes Math"
    cff.topDictIndex[0].FamilyName = "Runnable Notes Math"
    font.flavor = "woff2"
    font.save(Path(__file__).with_name("math.woff2"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
