import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inherit, toJson, toText, unfold } from '../src/index.ts'
import { written } from './documents.ts'

// Any document gives documents or one sentence that begins with a place; and it gives the same each time.

const tags = fc.constantFrom(
  'a',
  'b',
  'c',
  'e',
  'foreach',
  'split',
  'slice',
  'map',
  'findAll',
  'of',
  'from',
  'property',
  '__proto__',
)
const paths = fc.constantFrom(
  'a',
  'b',
  'a/b',
  'b/a/c',
  '.',
  'other',
  'other#a',
  'main',
  'main#b',
  'other;main#a',
  'sys:time',
  'sys:random',
  'lib:l:other',
  '../x',
  '',
  '__proto__',
)
const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  extends: paths,
  ref: paths,
  exp: fc.constantFrom("concat('')", "concat(',')", "find('a|b')", '+', '*', 'jsondump', 'x', "find('(')"),
  type: fc.constantFrom('number', 'bool', 'text', 'array', 'object', 'x'),
  name: fc.constantFrom('a', 'n', 'x y', '__proto__', ''),
  value: fc.constantFrom('', '1', ' x '),
  sep: fc.constantFrom(',', '|', ' ', ''),
  range: fc.constantFrom('1..2', '2..1', 'x', '0..999999999'),
  with: fc.constantFrom(',', 'b'),
  pattern: fc.constantFrom('a', '(b)?'),
  path: fc.constantFrom('a', 'a/b', 'k'),
  k: fc.constantFrom('v', ''),
}
const attributes = fc
  .subarray(Object.keys(values), { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => (values[name] as fc.Arbitrary<string>).map((value) => ` ${name}="${value}"`)),
    ),
  )
  .map((texts) => texts.join(''))

const documents = fc.letrec<{ element: string; content: string }>((tie) => ({
  content: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('', '1', 'a,b', 'true', '[1]'),
    fc.array(tie('element'), { maxLength: 4 }).map((children) => children.join('')),
  ),
  element: fc
    .tuple(tags, attributes, tie('content'))
    .map(([tag, own, content]) => `<${tag}${own}>${content}</${tag}>`),
})).element

/** The order of attributes is not a part of a document. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, inOrder(one)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The result of a document, as text. */
async function outcome(file: string): Promise<string> {
  try {
    const options = { clock: () => 0, random: () => 0, libraries: { l: '.' } }
    const found = await unfold(file, options)
    for (const document of found) expect([toText(document, 'json'), toText(document, 'xml')]).toHaveLength(2)
    return found.map((document) => JSON.stringify(inOrder(toJson(document)))).join()
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string }
    if (code !== 'INVALID_CONFIG') throw error
    expect(message).toMatch(/^\S+:\d+(, [^:]+)?: [^\n]+[.?]$/)
    return message
  }
}

describe('any document', () => {
  test('ends in documents or in one sentence with its place', async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, async (main, other) => {
        const file = written({ 'any/other.xml': other, 'any/main.xml': main })
        expect(await outcome(file)).toBe(await outcome(file))
      }),
      { numRuns: 150 },
    )
  })

  test('gives the same after inheritance was written and read again', async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, async (main, other) => {
        const file = written({ 'again/other.xml': other, 'again/main.xml': main })
        const options = { clock: () => 0, random: () => 0 }
        const inherited = await inherit(file, options).catch(() => undefined)
        if (inherited === undefined) return
        const direct = await outcome(file)
        if (direct.includes('main.xml:') || direct.includes('other.xml:')) return
        expect(await outcome(written({ 'again/alone.xml': inherited.text('xml') }))).toBe(direct)
        expect(await outcome(written({ 'again/alone.yaml': inherited.text('yaml') }))).toBe(direct)
      }),
      { numRuns: 150 },
    )
  })
})

describe('any text', () => {
  const pieces = fc.constantFrom(
    '<a>',
    '</a>',
    '<b k="v">',
    '</b>',
    '<c/>',
    '&lt;',
    '&x;',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?x?>',
    '<!DOCTYPE',
    ':',
    '- ',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '\n',
    '  ',
    '&a ',
    '*a',
    '$ref',
    '$extends',
    '$children',
    '$foreach',
    '#',
    '|',
    '>',
    '!x',
    '?',
    '%',
    '\\',
    '=',
    '\u0000',
    '\ufeff',
    '\ud83d\ude00',
    'text',
    '1',
    'null',
    '---',
  )
  const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''))

  test.each(['xml', 'yaml', 'json', 'properties'])(
    'as %s ends in documents or in one sentence with its place',
    async (end) => {
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          await outcome(written({ [`text.${end}`]: text }))
        }),
        { numRuns: 100 },
      )
    },
  )
})
