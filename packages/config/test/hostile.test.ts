import { describe, expect, test } from 'vitest'
import { failure, view, views, written } from './documents.ts'

// Each document ends in one sentence. None may take long: a test that hangs is ended by its limit.

describe('XML', () => {
  test.each([
    ['', 'it is not well-formed XML'],
    [' ', 'it is not well-formed XML'],
    ['<a>', 'wrong.xml:1: it is not well-formed XML: Missing end tag for element a.'],
    ['<a>\n<b></a>', 'wrong.xml:2: it is not well-formed XML'],
    ['<a/><b/>', 'it is not well-formed XML'],
    ['<a b="1" b="2"/>', 'Duplicate attribute: b'],
    ['<a b=1/>', 'it is not well-formed XML'],
    ['<a>&nbsp;</a>', "Named entity isn't defined"],
    ['<a>&#0;</a>', 'it is not well-formed XML'],
    ['<!DOCTYPE a><a/>', 'wrong.xml:1: a document type (DOCTYPE) is not allowed.'],
    [
      '\n<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
      'wrong.xml:2: a document type (DOCTYPE) is not allowed.',
    ],
    [
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      "it is not well-formed XML: Named entity isn't defined",
    ],
    ['<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><a/>', 'a document type (DOCTYPE) is not allowed'],
    ['<a xmlns="urn:x"/>', 'namespaces are not part of the language'],
    ['<a xmlns:x="urn:x"/>', 'Namespaces are not part of the language'],
    ['<x:a/>', 'Namespaces are not part of the language'],
    ['<a>text<b/></a>', 'wrong.xml:1, a: it has text beside elements'],
    ['<a><b/>\n<c><d/>tail</c></a>', 'wrong.xml:2, a/c: it has text beside elements'],
    ['<a value="1">2</a>', 'both a value and a content'],
    ['<a value="1"><b/></a>', 'both a value and a content'],
  ])('%j', async (document, says) => {
    expect(await failure(document)).toContain(says)
  })

  test('comments, processing instructions, CDATA and character references are read', async () => {
    const document =
      '<?xml version="1.0"?><!-- x --><?pi y?><a><!-- <b/> --><c>1<!-- 2 -->3<?pi 4?></c><d><![CDATA[<&]]> &lt;&#x41;&#66;</d></a><!-- z -->'
    expect(await view(document)).toEqual({ c: '13', d: '<& <AB' })
  })

  test('line ends are those of XML, and other white space is kept', async () => {
    expect(await views({ 'crlf.xml': '<a>\r\n<b>x\r\ny</b>\r\n<c>\u00a0z\u00a0</c></a>' })).toEqual([
      { b: 'x\ny', c: '\u00a0z\u00a0' },
    ])
    expect(await failure({ 'crlf.xml': '<a>\r\n\r\n<b ref="x"/></a>' })).toContain('crlf.xml:3')
    expect(await failure({ 'cr.xml': '<a>\r\r😀<b ref="x"/></a>' })).toContain(
      'cr.xml:1, a: it has text beside elements',
    )
    expect(await failure({ 'wide.xml': '<a><s>😀😀😀</s>\n<b ref="x"/></a>' })).toContain('wide.xml:2')
  })
})

describe('documents that are too deep', () => {
  const much = 40_000
  test.each([
    ['deep.xml', '<a>'.repeat(much) + '</a>'.repeat(much)],
    ['open.xml', '<a>'.repeat(100_000)],
    ['deep.xml', '<a>'.repeat(300) + '</a>'.repeat(300)],
    ['deep.json', '['.repeat(much) + ']'.repeat(much)],
    ['deep.json', '['.repeat(300) + ']'.repeat(300)],
    ['deep.yaml', '['.repeat(much) + ']'.repeat(much)],
    ['deep.yaml', '{a: '.repeat(300) + '}'.repeat(300)],
    ['open.yaml', '['.repeat(100_000)],
    ['list.yaml', '- '.repeat(300)],
    ['type.xml', `<a type="array">${'['.repeat(300)}${']'.repeat(300)}</a>`],
  ])('%s', async (name, document) => {
    expect(await failure({ [name]: document })).toMatch(/levels|well-formed|not YAML|not JSON/)
  })
})

describe('documents that multiply themselves', () => {
  const ten = (make: (at: number) => string): string =>
    Array.from({ length: 10 }, (_, at) => make(at)).join('')
  const says =
    /has more than (100000 elements|16777216 characters)\. Check whether `extends`, `ref` or `foreach` multiply it/

  test('by extends', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `laugh${12 - at}.xml`,
        `<l>${ten((i) => `<c${i} extends="laugh${13 - at}"/>`)}</l>`,
      ]),
    )
    written({ 'laugh13.xml': '<l>ha</l>' })
    expect(await failure(files)).toMatch(says)
  })

  test('by ref', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `<l${at}>${ten((i) => `<c${i} ref="l${at + 1}"/>`)}</l${at}>`,
    )
    expect(await failure(`<a>${levels.join('')}<l12>ha</l12></a>`)).toMatch(says)
  })

  test('by texts', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, at) => `<l${at} exp="concat('')"><a ref="l${at + 1}"/><b ref="l${at + 1}"/></l${at}>`,
    )
    expect(await failure(`<a>${levels.join('')}<l30>ha</l30></a>`)).toMatch(says)
    const long = 'x'.repeat(500_000)
    expect(await failure(`<a><t>${long}</t>${'<u ref="t"/>'.repeat(40)}</a>`)).toMatch(says)
  })

  test('by aliases of YAML', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) =>
        `l${at}: &l${at} [${Array(10)
          .fill(at === 0 ? 'ha' : `*l${at - 1}`)
          .join(', ')}]`,
    )
    expect(await failure({ 'laugh.yaml': levels.join('\n') })).toMatch(says)
  })

  test('by mixins that repeat', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `mix${40 - at}.xml`,
        `<m extends="mix${41 - at};mix${41 - at}"/>`,
      ]),
    )
    written({ 'mix41.xml': '<m><k>v</k></m>' })
    expect(await failure(files)).toMatch(/elements would be merged|extend one another/)
  })

  test('by loops', async () => {
    const loops = ten((at) => `<foreach name="l${at}" range="1..10"/>`)
    expect(await failure(`<a>${loops}</a>`)).toContain(
      'wrong.xml:1: it unfolds into 10000000000 documents; at most 10000 are unfolded at a time',
    )
  })

  test('by many large documents', async () => {
    const document = `<a><foreach name="n" range="1..5000"/>${'<b/>'.repeat(5_000)}</a>`
    expect(await failure(document)).toContain(
      'the documents have more than 1000000 elements. Unfold fewer at a time',
    )
  })
})

describe('chains', () => {
  test('of references', async () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => `<r${at} ref="r${at + 1}"/>`).join('')
    expect(await failure(`<a>${chain}<r20000>1</r20000></a>`)).toContain(
      'more than 500 references and elements lead to one another',
    )
    const steps = Array.from({ length: 20_000 }, (_, at) => `<r${at} ref="r${at + 1}/x"/>`).join('')
    expect(await failure(`<a>${steps}<r20000><x>1</x></r20000></a>`)).toContain('lead to one another')
    const short = Array.from({ length: 400 }, (_, at) => `<r${at} ref="r${at + 1}"/>`).join('')
    expect(await view(`<a>${short}<r400>1</r400></a>`)).toHaveProperty('r0', '1')
  })

  test('of files', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`chain${300 - at}.xml`, `<a extends="chain${301 - at}"/>`]),
    )
    written({ 'chain301.xml': '<a>1</a>' })
    expect(await failure(files)).toContain('more than 200 documents extend one another')
  })

  test('of steps in a path', async () => {
    expect(await failure(`<a><b ref="${'a/'.repeat(100_000)}a"/></a>`)).toContain('leads to no element')
    expect(await failure(`<a extends="wrong#${'a/'.repeat(100_000)}a"/>`)).toContain('in a circle')
  })
})

describe('regular expressions', () => {
  const a = 'a'.repeat(50_000)
  test.each([
    ['(a+)+$', `${a}b`],
    ['(a|aa)+$', `${a}b`],
    ['(.*)*x', a],
    ['([a-z]+)*\\d', a],
  ])('%s takes linear time', async (pattern, text) => {
    expect(await view(`<r><x exp="find('${pattern}')">${text}</x></r>`)).toEqual({ x: '' })
  })

  test.each([
    ['a'.repeat(2_000), 'a', 'find has more than 1000 characters'],
    ['(((a{30}){30}){30}){30}', 'a', 'find is not a regular expression|repeats too much'],
    ['(a{1000}){1000}', 'a', 'find is not a regular expression|repeats too much'],
    ['a{900}', 'a', ''],
    ['a', 'a'.repeat(70_000), 'takes texts of at most 65536 characters'],
    ['(a)\\1', 'aa', 'Look-around and back references do not exist here'],
  ])('%s', async (pattern, text, says) => {
    const document = `<r><x exp="find('${pattern}')">${text}</x></r>`
    if (says === '') expect(await view(document)).toEqual({ x: '' })
    else expect(await failure(document)).toMatch(new RegExp(says))
  })

  test('are bounded by a clock together', async () => {
    let now = 0
    const monotonicClock = (): number => (now += 300)
    const document = '<r><x exp="concat(\'\')"><findAll pattern="a">aaaaaaaaaaaa</findAll></x></r>'
    expect(await failure(document, { monotonicClock })).toContain(
      'the regular expressions take more than 2000 ms',
    )
  })
})

test('wide documents are resolved in linear time', async () => {
  const many = 20_000
  const items = Array.from(
    { length: many },
    (_, at) => `<k${at}>${at}</k${at}><r${at} ref="k${many - 1 - at}"/>`,
  ).join('')
  const found = (await view(`<a>${items}</a>`)) as Record<string, string>
  expect([found['r0'], found[`r${many - 1}`]]).toEqual([String(many - 1), '0'])
})

test('paths that lead nowhere are not looked for without end', async () => {
  // The last element is looked at first.
  const names = Array.from({ length: 20_000 }, (_, at) => `n${at}`).join(';')
  written({ 'paths.xml': `<a><b extends="n20000"/><c extends="${names}"/></a>` })
  const found = await failure('<a extends="paths#b"/>')
  expect(found).toContain('as one document may extend at most 5000 different paths')
})

test('a message is short, however long tags and attributes are', async () => {
  const long = 'x'.repeat(500_000)
  for (const document of [
    `<a><b ref="${long}"/></a>`,
    `<a><${long} ref="c"/></a>`,
    `<a type="${long}"/>`,
    `<a exp="${long}"/>`,
  ])
    expect((await failure(document)).length).toBeLessThan(2_100)
})

test('a message is one line, whatever attributes and names of files hold', async () => {
  expect(await failure('<a><b ref="x&#10;y"/></a>')).toContain('ref="x\\u000ay" of <b> leads to no element')
  expect(await failure({ 'line\nend.json': '{"$ref":"\\u001b[31m"}' })).toContain(
    'line\\u000aend.json:1, config: ref="\\u001b[31m"',
  )
})

test('a document that extends very many files is refused', async () => {
  const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`many/f${at}.xml`, '<f>1</f>']))
  const document = `<a>${Array.from({ length: 1_001 }, (_, at) => `<c${at} extends="f${at}"/>`).join('')}</a>`
  expect(await failure({ ...files, 'many/all.xml': document })).toContain(
    'more than 1000 files would be read',
  )
})
