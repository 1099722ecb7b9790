#include "app/features/source/panels/code_language.h"

namespace tilescope::widgets {

/// PTX: what an instruction is, by its first word.
const TextEditor::Language* ptx_language() {
  static const TextEditor::Language language = [] {
    TextEditor::Language l = *TextEditor::Language::C();
    l.name = "PTX";
    l.preprocess = 0;
    l.keywords = {"ld",  "st",   "mma",  "ldmatrix", "cp",   "bar", "bra", "add", "mul", "mad",
                  "fma", "setp", "mov",  "cvt",      "cvta", "shl", "shr", "and", "or",  "xor",
                  "ret", "sub",  "selp", "barrier",  "not",  "min", "max", "rem", "div", "neg"};
    l.declarations = {"reg",    "param",  "entry",  "visible", "func",
                      "extern", "shared", "global", "local"};
    l.identifiers.clear();
    return l;
  }();
  return &language;
}

/// SASS: loads and stores, copies and arithmetic of the tensor cores stand out.
const TextEditor::Language* sass_language() {
  static const TextEditor::Language language = [] {
    TextEditor::Language l = *TextEditor::Language::C();
    l.name = "SASS";
    l.preprocess = 0;
    l.keywords = {"LDGSTS", "LDG",       "STG",      "LDS",   "STS",   "LDSM",   "HMMA",
                  "IMMA",   "FFMA",      "FMUL",     "FADD",  "IMAD",  "BAR",    "BRA",
                  "EXIT",   "LDC",       "ULDC",     "MOV",   "IADD3", "LEA",    "LOP3",
                  "DEPBAR", "LDGDEPBAR", "WARPSYNC", "HADD2", "HFMA2", "ISETP",  "SHF",
                  "S2R",    "F2F",       "F2FP",     "RED",   "ATOMG", "MEMBAR", "CCTL"};
    l.declarations = {"LDL", "STL"};
    l.identifiers.clear();
    return l;
  }();
  return &language;
}

}  // namespace tilescope::widgets
