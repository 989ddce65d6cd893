import { describe, expect, test } from 'vitest'
import { failure, view } from './documents.ts'

const cases: readonly [title: string, document: string, expected: unknown][] = [
  ['a reference to a reference', '<t><a ref="c"/><b ref="a"/><c>1</c></t>', { a: '1', b: '1', c: '1' }],
  [
    'a target is resolved at its own place',
    '<t><a><c ref="d"/><d>2</d></a><b ref="a/c"/><d>1</d></t>',
    { a: { c: '2', d: '2' }, b: '2', d: '1' },
  ],
  [
    'a path leads through a reference',
    '<t><a ref="c"/><b ref="a/d"/><c><d>1</d></c></t>',
    { a: { d: '1' }, b: '1', c: { d: '1' } },
  ],
  [
    'elements may refer into each other',
    '<t><a ref="b/d"/><b><c ref="a"/><d>1</d></b></t>',
    { a: '1', b: { c: '1', d: '1' } },
  ],
  [
    'the whole path has to be found',
    '<t><x><y>1</y></x><b><x><z>2</z></x><c ref="x/y"/></b></t>',
    { x: { y: '1' }, b: { x: { z: '2' }, c: '1' } },
  ],
  [
    'an element refers to one of its own name above',
    '<t><b><c><d>2</d></c></b><a><b><c ref="b/c/d"/></b></a></t>',
    { b: { c: { d: '2' } }, a: { b: { c: '2' } } },
  ],
  [
    'own children win, those of the target keep their order',
    '<t><a><c>1</c><d>2</d></a><b ref="a"><e>0</e><c>9</c></b></t>',
    { a: { c: '1', d: '2' }, b: { c: '9', d: '2', e: '0' } },
  ],
  [
    'children are replaced as a whole',
    '<t><a><c><d>2</d><e>3</e></c></a><f ref="a"><c><e>4</e></c></f></t>',
    { a: { c: { d: '2', e: '3' } }, f: { c: { e: '4' } } },
  ],
  [
    '"." merges them',
    '<t><a><c><d>2</d><e>3</e></c></a><f ref="a"><c extends="."><e>4</e></c></f></t>',
    { a: { c: { d: '2', e: '3' } }, f: { c: { d: '2', e: '4' } } },
  ],
  [
    'children refer to what their parent refers to',
    '<t><a><c>3</c></a><c>2</c><d ref="a"><e ref="c"/></d></t>',
    { a: { c: '3' }, c: '2', d: { c: '3', e: '3' } },
  ],
  [
    'but not to themselves',
    '<t><a><c>3</c></a><c>2</c><d ref="a"><c ref="c"/></d></t>',
    { a: { c: '3' }, c: '2', d: { c: '2' } },
  ],
  [
    'own attributes win',
    '<t><a type="number" k="v">1</a><b ref="a" k="w"/></t>',
    { a: { k: 'v' }, b: { k: 'w' } },
  ],
  [
    'the type comes along, the name does not',
    '<t><p name="n" type="number">1</p><b ref="p"/></t>',
    { n: 1, b: 1 },
  ],
  ['an own text wins', '<t><a>1</a><b ref="a">2</b></t>', { a: '1', b: '2' }],
  ['a value is a value', '<t><a value=" 1 "/><b ref="a"/></t>', { a: ' 1 ', b: ' 1 ' }],
  [
    'an expression of the target is evaluated',
    `<t><a exp="concat('')"><h>1</h><h>2</h></a><b ref="a"/></t>`,
    { a: '12', b: '12' },
  ],
  [
    'an expression works on the result of another one',
    `<t><a exp="concat('')"><h>1</h><h>2</h></a><b ref="a" exp="find('2')"/><c ref="a" type="number" exp="+"/></t>`,
    { a: '12', b: '2', c: 12 },
  ],
  [
    'an expression works on the children of its target',
    '<t><l><n>1</n><n>2</n></l><s ref="l" exp="+"/></t>',
    { l: ['1', '2'], s: '3' },
  ],
  [
    'a key that cannot be a tag is found by its name',
    '<t><p name="x y">0</p><property name="a b"><c>1</c></property><d ref="a b/c"/></t>',
    { 'x y': '0', 'a b': { c: '1' }, d: '1' },
  ],
]

describe('references', () => {
  test.each(cases)('%s', async (_, document, expected) => {
    expect(await view(document)).toEqual(expected)
  })

  test.each([
    ['<a><b ref="c/d"/><c>1</c></a>', 'a/b: ref="c/d" of <b> leads to no element'],
    ['<a><b ref="b"/></a>', 'a/b: ref="b" of <b> leads to no element'],
    ['<a><b ref="a/b"/></a>', 'leads to no element'],
    ['<a ref="b"><b/></a>', 'wrong.xml:1, a: ref="b" of <a> leads to no element'],
    ['<a><b ref=""/></a>', 'must be tags with / between them'],
    ['<a><b ref="../c"/><c/></a>', 'must be tags with / between them'],
    ['<a><b ref="/c"/><c/></a>', 'must be tags with / between them'],
    [
      '<a>\n<b ref="c/x"/>\n<c ref="b/y"/></a>',
      'wrong.xml:2, a/b: the references lead in a circle: a/b → a/c → a/b',
    ],
    ['<a><b><x ref="c"/></b><c><y ref="b"/></c></a>', 'in a circle: a/b/x → a/c/y → a/b/x'],
    ['<a><b ref="c"/><c ref="d"/><d ref="b"/></a>', 'in a circle: a/b → a/c → a/d → a/b'],
  ])('%s', async (document, says) => {
    expect(await failure(document)).toContain(says)
  })
})
