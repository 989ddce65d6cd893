import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inherit } from '../src/index.ts'
import { failure, view, views, written } from './documents.ts'

const texts = (found: readonly unknown[], key = 't'): readonly unknown[] =>
  found.map((one) => (one as Record<string, unknown>)[key])

describe('sep is a regular expression of Java', () => {
  test.each([
    ['\\|', 'a|b', ['a', 'b']],
    ['[|]', 'a|b', ['a', 'b']],
    ['|', 'ab', ['a', 'b']],
    ['.', 'a.b', undefined],
    ['\\.', 'a.b', ['a', 'b']],
    [',', ',a,,b,,', [null, 'a', null, 'b']],
    ['\\s+', ' 1  2\n3 ', ['1', '2', '3']],
    ['(?i)x', '1X2x3', ['1', '2', '3']],
    ['x', 'abc', ['abc']],
    ['', 'abc', ['a', 'b', 'c']],
  ])('%j splits %j', async (sep, text, expected) => {
    const file = { 'sep.json': JSON.stringify({ $foreach: { t: { $sep: sep, $text: text } } }) }
    if (expected === undefined) expect(await failure(file)).toContain('foreach t has no values')
    else expect(texts(await views(file))).toEqual(expected)
  })

  test('the value is split in place of a text', async () => {
    expect(texts(await views({ 'a.xml': '<a><foreach name="t" sep=";" value="1;2"/></a>' }))).toEqual([
      '1',
      '2',
    ])
  })
})

test('a binding stands in the place of its loop', async () => {
  const [first] = await views({ 'a.xml': '<a><x>1</x><foreach name="t" range="7..8"/><y>2</y></a>' })
  expect(Object.entries(first as object)).toEqual([
    ['x', '1'],
    ['t', '7'],
    ['y', '2'],
  ])
})

test('the content of a child is bound, with its type, but not its name', async () => {
  const document =
    '<a><foreach name="t"><v type="number">1</v><v name="n" label="l"><k>2</k></v><v/></foreach></a>'
  expect(texts(await views({ 'a.xml': document }))).toEqual([1, { k: '2' }, null])
  expect(texts(await views({ 'a.yaml': '$foreach: { t: [1, true, text, [2]] }' }))).toEqual([
    1,
    true,
    'text',
    [2],
  ])
})

test('values of a loop may be references and expressions', async () => {
  const document = `<a><foreach name="t"><v ref="x"/><v exp="+"><o ref="x"/><o>1</o></v></foreach><x>5</x></a>`
  expect(texts(await views({ 'a.xml': document }))).toEqual(['5', '6'])
})

test('a name that cannot be a tag becomes a key', async () => {
  const found = await views({ 'a.xml': '<a><foreach name="max keys" range="1..2"/><x ref="max keys"/></a>' })
  expect(found).toEqual([
    { 'max keys': '1', x: '1' },
    { 'max keys': '2', x: '2' },
  ])
})

test('numbers that are not exact are not called odd', async () => {
  for (const range of ['9007199254740990..9007199254740995', '1..99999999999999999999'])
    expect(await failure(`<a><foreach name="t" range="${range}"/></a>`)).toContain(
      'the numbers of a range must not be beyond 9007199254740991',
    )
})

test('a huge range costs nothing until its documents are asked for', async () => {
  const file = written({
    'huge.xml': '<a><foreach name="t" range="1..9007199254740990"/><foreach name="u" range="0..9"/></a>',
  })
  const inherited = await inherit(file)
  const [document] = inherited.unfold([12_345])
  expect([document!.at('t')!.text, document!.at('u')!.text]).toEqual(['1235', '5'])
  expect(() => inherited.unfold()).toThrow(
    'it unfolds into 90071992547409900 documents; at most 10000 are unfolded at a time',
  )
})

test('the number of documents is the product of the numbers of values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }), async (counts) => {
      const loops = counts.map((count, at) => `<foreach name="l${at}" range="1..${count}"/>`)
      const found = await views({ 'product.xml': `<a>${loops.join('')}<k>z</k></a>` })
      expect(found).toHaveLength(counts.reduce((product, count) => product * count, 1))
      const keys = found.map((one) =>
        counts.map((_, at) => Number((one as Record<string, string>)[`l${at}`])),
      )
      // Each combination is there once, the first loop varying slowest: the list is in order.
      const inOrder = keys.toSorted(
        (a, b) => a.map((n, at) => n - (b[at] as number)).find((d) => d !== 0) ?? 0,
      )
      expect(keys).toEqual(inOrder)
      expect(new Set(keys.map(String)).size).toBe(found.length)
    }),
    { numRuns: 50 },
  )
})

describe('mistakes', () => {
  test.each([
    ['<a><foreach sep=",">1,2</foreach></a>', 'wrong.xml:1, a/foreach: foreach needs a name'],
    ['<a><foreach name="foreach" range="1..2"/></a>', 'foreach needs a name'],
    ['<a><foreach name="t"/></a>', 'exactly one of sep, range and child elements'],
    ['<a><foreach name="t">1 2</foreach></a>', 'exactly one of sep, range and child elements'],
    [
      '<a><foreach name="t" sep=" " range="1..2">1 2</foreach></a>',
      'exactly one of sep, range and child elements',
    ],
    ['<a><foreach name="t" sep=" "><v/></foreach></a>', 'exactly one of sep, range and child elements'],
    ['<a><foreach name="t" range="1..2">1 2</foreach></a>', 'a text, but no sep'],
    ['<a><foreach name="t" sep=","/></a>', 'foreach t has no values'],
    ['<a><foreach name="t" sep=",">,,</foreach></a>', 'foreach t has no values'],
    ['<a><foreach name="t" range="5..3"/></a>', 'the range 5..3 is empty'],
    ['<a><foreach name="t" range="1-3"/></a>', 'two whole numbers such as 1..5'],
    [
      '<a><foreach name="t" range="1..99999999999999999999"/></a>',
      'the numbers of a range must not be beyond',
    ],
    ['<a><foreach name="t" range="1..2" step="2"/></a>', 'foreach takes no attribute step'],
    ['<a><foreach name="t" sep="(">1</foreach></a>', 'sep is not a regular expression that can be used'],
    ['<a><foreach name="t" sep="(?=x)">1</foreach></a>', 'Look-around and back references do not exist here'],
    ['<a><foreach name="t" range="1..2"/><t>1</t></a>', 'a/t: a foreach binds this name, too'],
    [
      '<a><foreach name="t" range="1..2"/><foreach name="t" range="1..2"/></a>',
      'two foreach have the name t',
    ],
    [
      '<a><b><foreach name="t" range="1..2"/></b></a>',
      'a/b/foreach@t: foreach is allowed as a child of the root only',
    ],
    [
      '<a><foreach name="s"><v><foreach name="t" range="1..2"/></v></foreach></a>',
      'foreach is allowed as a child of the root only',
    ],
  ])('%s', async (document, says) => {
    expect(await failure(document)).toContain(says)
  })
})

test('a document without loops is one document', async () => {
  expect(await view('<a><b>1</b></a>')).toEqual({ b: '1' })
})
