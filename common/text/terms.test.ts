import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stem } from "./stem.js";
import { termsOf } from "./terms.js";

describe("stem", () => {
  it.each([
    ["price prices priced pricing"],
    ["stop stops stopped stopping"],
    ["cancel cancels cancelled canceled cancelling"],
    ["install installs installed installing"],
    ["carry carries carried carrying"],
    ["box boxes boxed"],
    ["pass passes passed passing"],
    ["quick quickly"],
    ["city cities"],
    ["delivery deliveries"],
    ["use uses used using"],
    ["fee fees"],
    ["bleed bleeds bleeding"],
    ["see sees seeing"],
  ])("gives the forms %s one stem", (forms) => {
    expect(new Set(forms.split(" ").map(stem)).size).toBe(1);
  });

  it.each([
    ["bus", "business"],
    ["bed", "be"],
    ["thing", "th"],
    ["sing", "s"],
    ["need", "new"],
    ["bleed", "blue"],
    ["us", "bus"],
    ["a1s", "a1"],
  ])("keeps %s and %s apart", (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });
});

describe("termsOf", () => {
  it.each<[string, string[]]>([
    ["The PRICES of Cafés", ["pric", "caf"]],
    ["Straße, STRASSE; strasse", ["strass", "strass", "strass"].map(() => "stras")],
    ["habitación habitacion", ["habitacion", "habitacion"]],
    ["Don't call 0800-555 010", ["don", "cal", "0800", "555", "010"]],
    ["ﬁle Ｗｉｄｅ ½", ["fil", "wid", "1", "2"]],
    ["年卡多少钱", ["年卡", "卡多", "多少", "少钱"]],
    ["人", ["人"]],
    ["R4路由器", ["r4", "路由", "由器"]],
    ["ペットホテル", ["ペッ", "ット", "トホ", "ホテ", "テル"]],
    ["예약을 취소", ["예약", "약을", "취소"]],
    ["", []],
    ["?! … —", []],
  ])("%s", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it("gives plain letters the same terms as among others", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", maxLength: 300 }), (text) => {
        expect(termsOf(`${text} é`)).toEqual(termsOf(text));
      }),
    );
  });

  it("gives letters and digits only, none too long, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.constant("x".repeat(5000))),
        (text) => {
          for (const term of termsOf(text)) expect(term).toMatch(/^[\p{L}\p{N}\p{M}ー々]{1,50}$/u);
        },
      ),
    );
  });
});
