import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isStoreError, json, keyValue } from "@unikv/core";
import { memory } from "@unikv/core/memory";
import { couchdb, prepareCouchdb } from "@unikv/couchdb";
import { http } from "@unikv/http";
import { capabilitiesOf, httpStore } from "@unikv/http/store";
import { mongodb } from "@unikv/mongodb";
import { mysql } from "@unikv/mysql";
import { postgres } from "@unikv/postgres";
import { sqlite } from "@unikv/sqlite";
import { describeWith } from "./shim.mjs";
import { describe, expect, test } from "./shim.mjs";
const seed0 = Number(process.env["SEED"] ?? 1);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const queriesOf = Number(process.env["QUERIES"] ?? 100);
function randomOf(seed) {
  let s = seed >>> 0;
  const next = () => {
    s = s + 1831565813 | 0;
    let t = Math.imul(s ^ s >>> 15, 1 | s);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (n) => Math.floor(next() * n),
    pick: (a) => a[Math.floor(next() * a.length)]
  };
}
const pieces = [
  "a",
  "A",
  "b",
  "%",
  "_",
  "\\",
  ".",
  "*",
  "\xE4",
  "\xC4",
  "a\u0308",
  "\u{1F600}",
  "\u{1F601}",
  "",
  " ",
  "\n",
  "'",
  '"',
  "\xE9",
  "e\u0301",
  "\xDF",
  "ss",
  "$",
  "^",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "|",
  "?",
  "+",
  "-",
  "/",
  "#",
  "	",
  "\r",
  "\uFEFF",
  "\u200D",
  "\uFFFF",
  "\uE000",
  "\u2028",
  "x",
  "i",
  "\u0130",
  "I",
  "\u0131",
  "\\n",
  "\\u0000",
  "\\Q",
  "\\E",
  "(?i)",
  "(*UTF8)",
  "0",
  "1",
  "\x7F",
  "\x80",
  "\xFF",
  "\uFF41",
  "\0"
];
if (process.env["NOZERO"]) pieces.pop();
const text = (r, most = 6) => {
  let t = "";
  for (let n = r.int(most + 1); n > 0; n--) t += r.pick(pieces);
  if (r.next() < 0.08) t = "y".repeat(120 + r.int(12)) + t;
  if (r.next() < 0.03) t = t + "z".repeat(1100) + r.pick(pieces);
  return t;
};
const scalar = (r) => {
  const x = r.next();
  if (x < 0.7) return text(r);
  if (x < 0.85) return r.pick([0, 1, -1, 1.5, 10, 1e21, 9007199254740991, 0.1]);
  if (x < 0.95) return r.pick([true, false]);
  return null;
};
const value = (r) => {
  const x = r.next();
  if (x < 0.85) return scalar(r);
  if (x < 0.9) return [scalar(r), scalar(r)];
  if (x < 0.95) return { x: scalar(r) };
  return void 0;
};
const paths = ["v", "d.x", "w", "a\\.b", "d.a b", "$m", "it's", "d.-h"];
const doc = (r) => {
  const d = { n: r.int(20) };
  for (const [name2, set] of [
    ["v", "v"],
    ["w", "w"],
    ["a.b", "a.b"],
    ["$m", "$m"],
    ["it's", "it's"]
  ]) {
    const got = value(r);
    if (got !== void 0) d[set] = got;
    void name2;
  }
  if (r.next() < 0.8) {
    d.d = {};
    for (const name2 of ["x", "a b", "-h"]) {
      const got = value(r);
      if (got !== void 0) d.d[name2] = got;
    }
  }
  return d;
};
const texts = [];
const piece = (r) => {
  const x = r.next();
  if (x < 0.6 && texts.length > 0) {
    const t = Array.from(r.pick(texts));
    const a = r.int(t.length + 1);
    return t.slice(a, a + 1 + r.int(4)).join("");
  }
  return x < 0.9 ? text(r, 2) : r.pick(["", "%", ".*", "_"]);
};
const where = (r, depth = 0) => {
  const w = {};
  for (let n = 1 + r.int(2); n > 0; n--) {
    const x = r.next();
    if (x < 0.15 && depth < 3)
      w[r.pick(["and", "or"])] = Array.from({ length: r.int(4) }, () => where(r, depth + 1));
    else {
      const p = r.pick(paths);
      const y = r.next();
      if (y < 0.55) w[p] = { contains: piece(r) };
      else if (y < 0.65) w[p] = { contains: piece(r), gte: text(r, 1) };
      else if (y < 0.7) w[p] = { contains: piece(r), prefix: text(r, 1) };
      else if (y < 0.75) w[p] = { prefix: piece(r) };
      else if (y < 0.8) w[p] = { in: [scalar(r), scalar(r), r.pick(texts)] };
      else if (y < 0.85) w[p] = { exists: r.next() < 0.5 };
      else if (y < 0.9) w[p] = { lt: r.pick(texts) };
      else w[p] = r.next() < 0.5 ? r.pick(texts) : scalar(r);
    }
  }
  return w;
};
const order = (r) => {
  const o = [];
  for (let n = r.int(3); n > 0; n--) {
    const p = r.pick([...paths, "n"]);
    o.push(r.next() < 0.5 ? p : { desc: p });
  }
  return o;
};
const hasNul = (x) => JSON.stringify(x).includes("\\u0000");
async function attack(open, nul, indexes = true) {
  let ran = 0;
  let found = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const r = randomOf(seed0 * 1e3 + round);
    const { store, layers, close } = await open(
      indexes && round % 2 === 1 ? [["v"], ["w", "v"], ["d.x"]] : void 0
    );
    const kv = keyValue(store, layers, { timeoutMs: 6e4 });
    const ns = kv.namespace(`r${round}`);
    const ref = keyValue(memory(), [json()]);
    texts.length = 0;
    const docs = [];
    while (docs.length < 200) {
      const d = doc(r);
      if (!nul && JSON.stringify(d) !== JSON.stringify(d).replaceAll("\\u0000", "")) {
        if (Object.values(d).concat(Object.values(d.d ?? {})).flat(9).some((x) => JSON.stringify(x)?.replaceAll("\\\\", "").includes("\\u0000")))
          continue;
      }
      docs.push([`k${docs.length}${text(r, 1).slice(0, 20).toWellFormed()}`, d]);
      for (const x of [...Object.values(d), ...Object.values(d.d ?? {})])
        if (typeof x === "string") texts.push(x);
    }
    for (let at = 0; at < docs.length; at += 40) await ns.setMany(docs.slice(at, at + 40));
    await ref.setMany(docs);
    for (let i = 0; i < queriesOf; i++) {
      const q = { where: where(r), orderBy: order(r), limit: r.pick([1, 3, 10, 1e3]) };
      if (q.orderBy.length === 0) delete q.orderBy;
      const told = JSON.stringify(q);
      try {
        let [a, b] = [await ns.find(q), await ref.find({ ...q, scan: true })];
        ran++;
        for (let p = 0; p < 3; p++) {
          const show = (x) => JSON.stringify(x.items.map(([k, e]) => [k, e.value.d, e.value.n]));
          if (show(a) !== show(b) && a.items.map(([k]) => k).join() !== b.items.map(([k]) => k).join()) console.log("DIFF", told, "\n", show(a), "\n", show(b));
          expect(
            a.items.map(([k]) => k),
            `seed ${seed0} round ${round} query ${i}: ${told}`
          ).toEqual(b.items.map(([k]) => k));
          for (const [n, [, e]] of a.items.entries()) expect(e.value).toEqual(b.items[n][1].value);
          found += a.items.length;
          expect(a.cursor === void 0).toBe(b.cursor === void 0);
          if (a.cursor === void 0) break;
          [a, b] = [
            await ns.find({ ...q, after: a.cursor }),
            await ref.find({ ...q, after: b.cursor, scan: true })
          ];
        }
        if (i % 4 === 0) {
          const of = r.pick(paths);
          const [x, y] = [
            await ns.aggregate({ where: q.where, of }),
            await ref.aggregate({ where: q.where, of, scan: true })
          ];
          const cut = (t) => typeof t === "string" && process.env["NULCUT"] ? t.split("\0")[0] : t;
          expect({ count: x.count, min: cut(x.min), max: cut(x.max) }, told).toEqual({ count: y.count, min: cut(y.min), max: cut(y.max) });
          expect(Math.abs(x.sum - y.sum)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(y.sum)));
        }
      } catch (error) {
        if (!nul && isStoreError(error) && error.code === "INVALID_ARGUMENT" && /U\+0000/.test(error.message) && hasNul(q))
          refused++;
        else {
          if (isStoreError(error)) console.error(told, error, error.cause);
          throw error;
        }
      }
    }
    await kv.close();
    await close();
  }
  console.log(`${ran} queries, ${found} found, ${refused} refused for U+0000`);
}
const long = 12e5;
const folder = mkdtempSync(join(tmpdir(), "unikv-attack-"));
let files = 0;
const only = process.env["ONLY"];
const wanted = (name2) => only === void 0 || only.split(",").includes(name2);
if (wanted("sqlite"))
  describe("sqlite", () => {
    test(
      "random",
      { timeout: long },
      () => attack(
        async (indexes) => ({
          store: sqlite({
            path: join(folder, `${files++}.db`),
            values: "document",
            threads: 0,
            durability: "buffered",
            prepare: true,
            ...indexes && { indexes }
          }),
          layers: [],
          close: async () => {
          }
        }),
        true
      )
    );
    test(
      "http",
      { timeout: long },
      () => attack(async (indexes) => {
        const kv = keyValue(
          sqlite({
            path: join(folder, `${files++}.db`),
            values: "document",
            threads: 0,
            durability: "buffered",
            prepare: true,
            ...indexes && { indexes }
          })
        );
        const token = "a-token-of-the-tests";
        const { fetch } = http({ s: kv }, {
          tokens: [{ name: "t", token, may: "write" }],
          maxBodyBytes: files % 2 ? 2e5 : 1e6
        });
        const options = {
          url: "http://localhost/s",
          token,
          fetch: (url, init) => fetch(new Request(url, init))
        };
        return {
          store: httpStore({ ...options, capabilities: await capabilitiesOf(options) }),
          layers: [json()],
          close: () => kv.close()
        };
      }, true)
    );
  });
let tables = 0;
const name = () => `attack_${process.pid}_${tables++}`;
if (wanted("postgres"))
  describeWith("postgres", (url) => {
    test(
      "random",
      { timeout: long },
      () => attack(async (indexes) => {
        const table = name();
        const store = postgres({ url, table, values: "document", prepare: true, ...indexes && { indexes } });
        return { store, layers: [], close: async () => {
        } };
      }, false)
    );
  });
if (wanted("mariadb"))
  describeWith("mariadb", (url) => {
    for (const driver of ["mysql2", "mariadb"])
      test(
        `random by ${driver}`,
        { timeout: long },
        () => attack(
          async (indexes) => ({
            store: mysql({
              url,
              table: name(),
              driver,
              values: "document",
              prepare: true,
              ...indexes && { indexes }
            }),
            layers: [],
            close: async () => {
            }
          }),
          true
        )
      );
  });
if (wanted("mongodb"))
  describeWith("mongodb", (url) => {
    test(
      "random",
      { timeout: long },
      () => attack(
        async () => ({
          store: mongodb({
            url,
            database: "attack",
            collection: name(),
            values: "document",
            prepare: true
          }),
          layers: [],
          close: async () => {
          }
        }),
        true
      )
    );
  });
if (wanted("couchdb"))
  describeWith("couchdb", (url) => {
    test(
      "random",
      { timeout: long },
      () => attack(async () => {
        const database = name();
        await prepareCouchdb({ url, database, values: "document" });
        return {
          store: couchdb({ url, database, values: "document" }),
          layers: [],
          close: async () => {
          }
        };
      }, true)
    );
  });
test("end", () => rmSync(folder, { recursive: true, force: true }));
import { run } from "./shim.mjs";
await run();
