import { describe, expect, test } from 'vitest'
import { type TextFormat, toJson, toText, unfold } from '../src/index.ts'
import { failure, view, written } from './documents.ts'

const text = async (document: string, format: TextFormat): Promise<string> => {
  const [first] = await unfold(written({ 'view.xml': document }))
  return toText(first!, format)
}

describe('the JSON view', () => {
  test.each([
    ['<a/>', null],
    ['<a>5</a>', '5'],
    ['<a type="number"> 5 </a>', 5],
    ['<a type="number"/>', null],
    ['<a type="number" value=""/>', null],
    ['<a value=""/>', ''],
    ['<a type="text">5</a>', '5'],
    ['<a type="bool">FALSE</a>', false],
    ['<a type="array"/>', []],
    ['<a type="object"/>', {}],
    ['<a type="array"><x>1</x></a>', ['1']],
    ['<a type="array"><x>1</x><y>2</y></a>', ['1', '2']],
    ['<a type="object"><x>1</x><x>2</x></a>', { x: ['1', '2'] }],
    ['<a type="object">{"x": [1, null]}</a>', { x: [1, null] }],
    ['<a><x>1</x><x>2</x></a>', ['1', '2']],
    ['<a><x>1</x></a>', { x: '1' }],
    ['<a><x>1</x><y>2</y><x>3</x></a>', { x: ['1', '3'], y: '2' }],
    ['<a><x>1</x><y name="x">2</y></a>', ['1', '2']],
    ['<a k="v"><x>1</x><x>2</x></a>', { k: 'v', x: ['1', '2'] }],
    ['<a><n type="number">+05.50</n><m type="number">.5</m></a>', { n: 5.5, m: 0.5 }],
  ])('of %s', async (document, expected) => {
    expect(await view(document)).toEqual(expected)
  })

  test('names of prototypes are ordinary keys', async () => {
    const found = (await view(
      '<a __proto__="x"><constructor>1</constructor><b><__proto__><c>2</c></__proto__></b></a>',
    )) as object
    expect(JSON.stringify(found)).toBe('{"__proto__":"x","constructor":"1","b":{"__proto__":{"c":"2"}}}')
    expect(Object.keys(found)).toContain('__proto__')
    expect(({} as Record<string, unknown>)['c']).toBe(undefined)
  })

  test('numbers keep their digits in text, and are refused where JavaScript would lose them', async () => {
    const exact = '<a><n type="number">12345678901234567890.10</n></a>'
    expect(await text(exact, 'json')).toBe('{"n":12345678901234567890.10}\n')
    expect(await text(exact, 'yaml')).toBe('n: 12345678901234567890.10\n')
    expect(await failure({ 'n.xml': exact })).toBe(
      'n.xml:1, a/n: a number has more digits than JavaScript can hold. Leave out type="number" to have a text.',
    )
    expect(await failure({ 'n.json': '{"a":1,\n"b":[{\n"c":1e400}]}' })).toMatch(
      /^n\.json:3, config\/b\/e\/c: a number/,
    )
    expect(await failure({ 'n.yaml': 'a: 1\nb:\n  - c: 1e400\n' })).toMatch(
      /^n\.yaml:3, config\/b\/e\/c: a number/,
    )
    const below = '<a>\n<b ref="c"/>\n<c><n type="number">1e400</n></c>\n</a>'
    expect(await failure({ 'n.xml': below })).toMatch(/^n\.xml:3, a\/b\/n: a number/)
    expect(await failure('<a><n type="number">9007199254740993.0</n></a>')).toContain('more digits')
    expect(await failure('<a><n type="number">1e400000000000</n></a>')).toContain('more digits')
    expect(await view('<a><n type="number">0.30000000000000004</n></a>')).toEqual({ n: 0.30000000000000004 })
  })

  test('JSON in a text keeps its digits, and its keys and texts as they are', async () => {
    const json =
      '{"s":["n","s","-1","a\\\\","\\"1\\" 2"],"n":[1.50,-0,12345678901234567890,1e400],"__proto__":{"1":"2"},"":null}'
    const exact = `<a type="object"><![CDATA[${json}]]></a>`
    expect(await text(exact, 'json')).toBe(`${json}\n`)
    expect(await failure({ 'n.xml': exact })).toMatch(/^n\.xml:1, a: a number has more digits/)
    const short = '{"a":[1.5,-2e3,"n1"],"b":{"c":true}}'
    expect(await view(`<a type="object">${short}</a>`)).toEqual(JSON.parse(short))
    expect(await view('<a type="array">[{"x":[]}, 1]</a>')).toEqual([{ x: [] }, 1])
  })

  test.each([
    ['<a type="string">5</a>', 'type="string" is not known'],
    ['<a type="numbr">5</a>', "Did you mean 'number'?"],
    ['<a><n type="number">5x</n></a>', 'a/n: type="number" does not fit: its value is not a number'],
    ['<a type="number">.</a>', 'is not a number'],
    ['<a type="number">Infinity</a>', 'is not a number'],
    ['<a type="bool">yes</a>', 'neither true nor false'],
    ['<a type="number"><b/></a>', 'it has child elements'],
    ['<a type="array">[1</a>', 'its text is not JSON'],
    ['<a type="array">{}</a>', 'another kind of JSON'],
    ['<a type="array" k="v"><b/></a>', 'an array has no place for the attribute k'],
    ['<a k="v"><k>1</k></a>', 'a/k: k is also an attribute of the element above'],
  ])('refuses %s', async (document, says) => {
    expect(await failure(document)).toContain(says)
  })
})

describe('text', () => {
  const document =
    '<a><s>x: "y"\n&lt;é</s><n type="number">1.0</n><l><e>1</e><e/></l><b k="v"/><property name="x y">z=1</property></a>'

  test('in XML is the tree', async () => {
    expect(await text(document, 'xml')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<a>
  <s>x: "y"
&lt;é</s>
  <n type="number">1.0</n>
  <l>
    <e>1</e>
    <e/>
  </l>
  <b k="v"/>
  <property name="x y">z=1</property>
</a>
`)
  })

  test('in JSON is one line', async () => {
    expect(await text(document, 'json')).toBe(
      '{"s":"x: \\"y\\"\\n<é","n":1.0,"l":["1",null],"b":{"k":"v"},"x y":"z=1"}\n',
    )
  })

  test('in YAML is the JSON view', async () => {
    expect(await text(document, 'yaml')).toBe(`s: |-
  x: "y"
  <é
n: 1.0
l:
  - "1"
  - null
b:
  k: v
x y: z=1
`)
  })

  test('in properties has a line for each value', async () => {
    expect(await text(document, 'properties')).toBe(
      's=x: "y"\\n<\\u00e9\nn=1.0\nl.0=1\nl.1=\nb.k=v\nx\\ y=z=1\n',
    )
    expect(await text('<a>5</a>', 'properties')).toBe('a=5\n')
  })

  test('of an element is a part', async () => {
    const [first] = await unfold(written({ 'part.xml': '<a><b><c>1</c></b></a>' }))
    expect(toJson(first!.at('b')!)).toEqual({ c: '1' })
    expect(toText(first!.at('b/c')!, 'json')).toBe('"1"\n')
    expect(() => toText(first!, 'toml' as never)).toThrow('The format must be xml, json, yaml, properties.')
  })
})
