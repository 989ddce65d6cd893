import { describe, expect, test } from 'vitest'
import { unfold } from '../src/index.ts'
import { failure, view, views, written } from './documents.ts'

describe('YAML', () => {
  test.each([
    ['a: 1\nb: text\nc: true\nd: null\ne: ""', { a: 1, b: 'text', c: true, d: null, e: '' }],
    ['a: [1, [2], {k: v}]\nb: []\nc: {}', { a: [1, [2], { k: 'v' }], b: [], c: {} }],
    ['a: 0x1F\nb: 0o17\nc: 1.50\nd: +5\ne: 1e3', { a: 31, b: 15, c: 1.5, d: 5, e: 1000 }],
    ['a: &x {k: v}\nb: *x\nc: [*x, *x]', { a: { k: 'v' }, b: { k: 'v' }, c: [{ k: 'v' }, { k: 'v' }] }],
    ['a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    ['a: |\n  line 1\n  line 2\n', { a: 'line 1\nline 2\n' }],
    ['a: " spaces "', { a: ' spaces ' }],
    ['1: one\ntrue: two\nmax keys: 3', { 1: 'one', true: 'two', 'max keys': 3 }],
    ['$$type: x\n$$$y: z', { $type: 'x', $$y: 'z' }],
    ['__proto__: {a: 1}\nconstructor: 2', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
    ['$schema: x\n$tag: job\na: 1', { a: 1 }],
    ['a: {$type: number, $text: "5"}', { a: 5 }],
    ['a: {$text: 5, $type: text}', { a: '5' }],
    ['a: {$name: b, $value: " x"}', { b: ' x' }],
    ['a: {$attributes: {k: 1, l: true}}', { a: { k: '1', l: 'true' } }],
    ['a: {$items: [1, 2]}', { a: [1, 2] }],
    ['a: {$children: [{b: 1}, {c: 2}, {b: 3}]}', { a: { b: [1, 3], c: 2 } }],
    ['a: {b: 1, $children: [{c: {$ref: b}}]}', { a: { b: 1, c: 1 } }],
    ['- 1\n- a', [1, 'a']],
    ['just text', 'just text'],
    ['%YAML 1.2\n---\na: 1\n...\n', { a: 1 }],
    ['\ufeffa: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
  ])('%j', async (document, expected) => {
    expect((await views({ 'a.yaml': document }))[0]).toEqual(expected)
  })

  test('extends, ref and exp are attributes', async () => {
    // Files of other tests may lie beside it, and base.xml would come first.
    written({ 'only-yaml.yml': 'kind: mem\nopts: {ttl: 60, max: 100}' })
    expect(
      await view(
        "$extends: only-yaml\nopts: {$extends: ., ttl: 5}\nk: {$ref: opts/ttl}\nurl: {$exp: concat('-'), $items: [{$ref: kind}, x]}",
      ),
    ).toEqual({
      kind: 'mem',
      opts: { ttl: 5, max: 100 },
      k: 5,
      url: 'mem-x',
    })
  })

  test('loops stand where $foreach stands', async () => {
    const found = await views({
      'a.yaml': 'a: 1\n$foreach:\n  b: [x, y]\n  $$c: {$range: 1..2}\nd: {$ref: b}',
    })
    expect(found).toHaveLength(4)
    expect(Object.entries(found[1] as object)).toEqual([
      ['a', 1],
      ['b', 'x'],
      ['$c', '2'],
      ['d', 'x'],
    ])
  })

  test('elements know their lines', async () => {
    const [document] = await unfold(written({ 'lines.yaml': 'a:\n  b: 1\n\n  c:\n    - x\n    - y\n' }))
    const lines = ['a', 'a/b', 'a/c'].map((path) => document!.at(path)!.place.line)
    expect([...lines, ...document!.at('a/c')!.children.map(({ place }) => place.line)]).toEqual([
      1, 2, 4, 5, 6,
    ])
  })

  test.each([
    ['', 'a.yaml:1: the file is empty.'],
    ['# only a comment', 'the file is empty'],
    ['a: 1\na: 2', 'a.yaml:2: the key a is there twice.'],
    ['a: 1\n---\nb: 2', 'the file has several documents. Remove the lines ---'],
    ['a: [1', 'it is not YAML'],
    ['a: !!binary aGk=', 'a value of this kind cannot stand here'],
    ['a: !own x', 'the tag has no meaning here'],
    ['a: *b', 'a.yaml:1'],
    ['a: &a [*a]', 'an alias stands inside the value that it names'],
    ['a: .inf', 'the number has no digits'],
    ['a: .nan', 'the number has no digits'],
    ['? [a]\n: 1', 'a key must be a text'],
    ['~: 1', 'a key must be a text'],
    ['x: &x {a: 1}\ny: {<<: *x}', 'the key << is not read here'],
    [
      'a: {$extend: x}',
      "a.yaml:1, a: there is no $extend here. Did you mean '$extends'? A key that begins with $ is written with $$.",
    ],
    ['a: {$gt: 5}', 'a.yaml:1, a: there is no $gt here'],
    ['a: {$tag: b}', 'there is no $tag here'],
    ['$tag: a b', "$tag: 'a b' cannot be the name of an element"],
    ['a: {$ref: [b]}', '$ref must be a text, a number or a boolean'],
    ['a: {$ref: }', '$ref is empty'],
    ['a: {$text: x, b: 1}', '$text stands beside other keys'],
    ['a: {$text: x, $value: y}', 'both a value and a content'],
    ['a: {$value: x, b: 1}', 'both a value and a content'],
    ['a: {$items: 1}', '$items must be a list'],
    ['a: {$children: {b: 1}}', '$children must be a list of mappings with one key each'],
    ['a: {$children: [{b: 1, c: 2}]}', 'each item of $children must be a mapping with one key'],
    ['a: {$children: [{$ref: b}]}', 'Each child has a tag'],
    ['a: {$attributes: {ref: b}}', 'Write it as $ref, outside of $attributes'],
    ['a: {$attributes: {a b: c}}', "'a b' cannot be the name of an attribute"],
    ['a: {$attributes: x}', '$attributes must be a mapping'],
    ['$foreach: [1]', '$foreach must be a mapping'],
    ['a b: {$name: c}', "the key 'a b' cannot be a tag, so it takes no $name"],
    ['a: "\\ud800"', 'half of a character'],
  ])('refuses %j', async (document, says) => {
    expect(await failure({ 'a.yaml': document })).toContain(says)
  })
})

describe('JSON', () => {
  test('is read by its own rules', async () => {
    expect(
      await views({ 'a.json': '{\t"a": "\\u00e9\\/",\n\t"b": [1.50, null, {}],\r\n "c": {"$ref": "a"} }' }),
    ).toEqual([{ a: 'é/', b: [1.5, null, {}], c: 'é/' }])
    expect(await views({ 'a.json': '[]' })).toEqual([[]])
    expect(await views({ 'a.json': 'null' })).toEqual([null])
    expect(await views({ 'a.json': `{"${'k'.repeat(900)}": 1}` })).toEqual([{ ['k'.repeat(900)]: 1 }])
  })

  test.each([
    ['', 'a.json:1: it is not JSON'],
    [
      '{"a": 1,\n}',
      'a.json:2: it is not JSON. JSON has no comments and no commas at the end; YAML may have both.',
    ],
    ['{\n"a":\n x,\n"b": 1\n}', 'a.json:3: it is not JSON'],
    ['{\n"a": "x\ny"\n}', 'a.json:2: it is not JSON'],
    ['{\n"a": 1\n', 'a.json:3: it is not JSON'],
    ['[1\n1]', 'a.json:2: it is not JSON'],
    ['a: 1', 'a.json:1: it is not JSON'],
    ['{"a": 1,\n"a": 2}', 'a.json:2: the key a is there twice.'],
  ])('refuses %j', async (document, says) => {
    expect(await failure({ 'a.json': document })).toContain(says)
  })
})
