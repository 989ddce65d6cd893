import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isScalar, parseDocument, visit } from 'yaml'
import { type Element, inherit, toJson, toText, unfold } from '../src/index.ts'
import { trimmed } from '../src/tree/trimmed.ts'
import { folder, written } from './documents.ts'

// Any tree, written and read again, is the same tree.

/** A tree without the places and sizes. */
interface Tree {
  readonly tag: string
  readonly attributes: readonly (readonly [string, string])[]
  readonly text?: string | undefined
  readonly children: readonly Tree[]
}

const tags = fc.constantFrom(
  'a',
  'b',
  'e',
  'x-1',
  'é',
  '_',
  '__proto__',
  'constructor',
  'property',
  'config',
  'type',
)
const texts = fc.oneof(
  fc.constantFrom(
    '',
    ' x ',
    '5',
    '-0.50',
    'true',
    'null',
    '~',
    '$a',
    '#',
    '- x',
    '<&>"\'',
    ']]>',
    '\t',
    'a\nb',
    'a\r\nb',
    '{}',
    '[1]',
    '\u00a0',
    '😀',
    '*a',
    '&a',
    '!a',
    'a: b',
    '%',
    '@',
  ),
  fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((text) => !/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)),
)
const attributes = fc
  .dictionary(
    fc.constantFrom('k', 'exp', 'ref', 'type', 'sep', 'é', '__proto__', 'text', 'children'),
    texts,
    { maxKeys: 3 },
  )
  .map((found) => Object.entries(found))
const names = fc.option(fc.constantFrom('n', 'a b', '<<', '$x', '1', '', '<', '__proto__'), {
  nil: undefined,
})

const trees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; children: readonly Tree[] }>((tie) => ({
  children: fc.oneof(
    { maxDepth: 4 },
    fc.constant<readonly Tree[]>([]),
    fc.array(tie('tree'), { maxLength: 4 }),
  ),
  tree: fc
    .record({
      tag: tags,
      name: names,
      attributes,
      text: fc.option(texts, { nil: undefined }),
      children: tie('children'),
    })
    .map(({ tag, name, attributes: own, text, children }) => ({
      tag,
      attributes: name === undefined ? own : [['name', name] as const, ...own],
      ...(children.length > 0 ? {} : { text }),
      children,
    })),
})).tree

/** A tree as the document that it is written as; texts that XML would trim stand in `value`. */
function xmlOf({ tag, attributes: own, text, children }: Tree): string {
  const escaped = (given: string): string =>
    given.replace(/[<>&"'\t\n\r]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  const isValue = text !== undefined && (text === '' || trimmed(text) !== text)
  const all = [...own, ...(isValue ? [['value', text] as const] : [])].map(
    ([name, value]) => ` ${name}="${escaped(value)}"`,
  )
  return `<${tag}${all.join('')}>${isValue ? '' : escaped(text ?? '')}${children.map(xmlOf).join('')}</${tag}>`
}

function treeOf({ tag, attributes: own, text, children }: Element): Tree {
  const inOrder = [...own].sort(([a], [b]) => (a < b ? -1 : 1))
  return { tag, attributes: inOrder, text, children: children.map(treeOf) }
}

describe('a tree is the same after writing and reading it', () => {
  test.each(['xml', 'yaml', 'json'] as const)('in %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const first = await inherit(written({ 'tree.xml': xmlOf(tree) }))
        const second = await inherit(written({ [`again.${format}`]: first.text(format) }))
        expect(treeOf(second.root)).toEqual(treeOf(first.root))
      }),
      { numRuns: 100 },
    )
  })
})

describe('data of JSON', () => {
  const data = fc.jsonValue({ maxDepth: 4 }).filter((value) => !hasOddNumber(value))

  test('comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        const [document] = await unfold(written({ 'data.json': JSON.stringify(escaped(value)) }))
        expect(JSON.stringify(toJson(document!))).toBe(JSON.stringify(value))
        for (const format of ['json', 'yaml'] as const) {
          const text = withEscapedKeys(toText(document!, format))
          const [again] = await unfold(written({ [`data-again.${format}`]: text }))
          expect(JSON.stringify(toJson(again!)), text).toBe(JSON.stringify(value))
        }
      }),
      { numRuns: 100, examples: [[[{ '$" ': null }]], [[{ '<<': '' }]], [{ "$'": '$', '"$': { $: [] } }]] },
    )
  })

  /** A text whose keys begin with `$` as often as is right in a document; all else stays as it is written. */
  function withEscapedKeys(text: string): string {
    const document = parseDocument(text)
    visit(document, {
      Pair: (_, { key }) => {
        if (isScalar(key) && String(key.value).startsWith('$')) key.value = `$${String(key.value)}`
      },
    })
    return document.toString({ lineWidth: 0 })
  }

  /** Keys that begin with `$` are written with `$$`. */
  function escaped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(escaped)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key.startsWith('$') ? `$${key}` : key, escaped(one)]),
    )
  }

  /** −0 is 0 in JSON.stringify, and lone surrogates are refused. */
  function hasOddNumber(value: unknown): boolean {
    const text = JSON.stringify(value)
    return text.includes('\\ud') || Object.is(value, -0)
  }
})

test('what is left after inheritance needs no other file, and unfolds to the same', async () => {
  written({ 'base.xml': '<job><n type="number">1</n><o><p>2</p></o></job>' })
  const suite = `<suite><foreach name="t" sep=" ">1 2</foreach><foreach name="s"><v><w>a</w></v><v><w>b</w></v></foreach><job extends="base"><o extends="."><q ref="t"/></o></job><x exp="concat('-')"><a ref="t"/><b ref="s/w"/></x></suite>`
  const inherited = await inherit(written({ 'suite.xml': suite }))
  const expected = inherited.unfold().map((document) => toJson(document))
  expect(expected).toHaveLength(4)
  for (const format of ['xml', 'yaml', 'json'] as const) {
    const text = inherited.text(format)
    expect(text).not.toContain('extends="base"')
    const alone = await unfold(written({ [`alone/suite.${format}`]: text }))
    expect(alone.map((document) => toJson(document))).toEqual(expected)
  }
  expect(folder).not.toBe('')
})
