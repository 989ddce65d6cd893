import { beforeAll, describe, expect, test } from 'vitest'
import { failure, folder, view, views, written } from './documents.ts'

beforeAll(() => {
  written({
    'nest.xml': '<a><p><q><r>3</r><s>4</s></q><t>2</t></p></a>',
    'one.xml': '<o><x>1</x><y>2</y><z><in>3</in></z></o>',
    'two.xml': '<o><y>3</y><w>7</w></o>',
    'two-over.xml': '<o extends="sub/three"><y>3</y></o>',
    'sub/three.xml': '<o><v>4</v></o>',
    'deep-mixin.xml': '<o><z extends="."><more>4</more></z></o>',
    'typed.xml': '<o><n type="number" unit="ms">5</n><v value="1"/><e type="number"/></o>',
    'here.properties': '# settings\nhost=db1\nmax\\ keys: 7\nlong = a\\\n  b\n',
  })
})

describe('merging', () => {
  const cases: readonly [title: string, document: string, expected: unknown][] = [
    [
      'a child replaces that of the base as a whole',
      '<a extends="nest"><p><q><r>5</r></q></p><c>6</c></a>',
      { p: { q: { r: '5' } }, c: '6' },
    ],
    [
      '"." keeps the other children of the base',
      '<a extends="nest"><p extends="."><q><r>5</r></q></p></a>',
      { p: { q: { r: '5' }, t: '2' } },
    ],
    [
      '"." further down merges the elements above it, too',
      '<a extends="nest"><p><q extends="."><r>5</r></q></p></a>',
      { p: { q: { r: '5', s: '4' }, t: '2' } },
    ],
    [
      '"." on several levels',
      '<a extends="nest"><p extends="."><q extends="."><r>5</r></q></p></a>',
      { p: { q: { r: '5', s: '4' }, t: '2' } },
    ],
    [
      '"." without a counterpart is an ordinary element',
      '<a extends="nest"><n extends="."><m>1</m></n></a>',
      { p: { q: { r: '3', s: '4' }, t: '2' }, n: { m: '1' } },
    ],
    [
      'later mixins win over earlier ones and the base',
      '<o extends="one;two"><x>5</x><d>6</d></o>',
      { x: '5', y: '3', z: { in: '3' }, w: '7', d: '6' },
    ],
    [
      'what a mixin extends lies below it',
      '<o extends="one;two-over"/>',
      { x: '1', y: '3', z: { in: '3' }, v: '4' },
    ],
    [
      'a mixin may merge deeply',
      '<o extends="one;deep-mixin"/>',
      { x: '1', y: '2', z: { in: '3', more: '4' } },
    ],
    [
      'attributes that a child lacks are inherited',
      '<o extends="typed"><e>6</e></o>',
      { n: { unit: 'ms' }, v: '1', e: 6 },
    ],
    [
      'a value is inherited by a child without one',
      '<o extends="typed"><n/><v/><e/></o>',
      { n: { unit: 'ms' }, v: '1', e: null },
    ],
    [
      'a value is not inherited by a child that has its own',
      '<o extends="typed"><v>2</v></o>',
      { n: { unit: 'ms' }, v: '2', e: null },
    ],
    ['an element with a text keeps it', '<o><n extends="one">5</n></o>', { n: '5' }],
    ['a leaf gets the text of a leaf', '<o><n extends="one#x"/></o>', { n: '1' }],
    [
      'properties are elements',
      '<o extends="here"><host>db2</host></o>',
      { host: 'db2', 'max keys': '7', long: 'ab' },
    ],
    [
      'a nested element extends a file of its own',
      '<o><b><c extends="two"><w>1</w></c></b></o>',
      { b: { c: { y: '3', w: '1' } } },
    ],
  ]

  test.each(cases)('%s', async (_, document, expected) => {
    expect(await view(document)).toEqual(expected)
  })

  test('the k-th child of a name matches the k-th of that name', async () => {
    written({ 'list.xml': '<l><v k="a">1</v><v k="b">2</v></l>' })
    const merged = '<l extends="list"><v>5</v><v>6</v><v>7</v></l>'
    expect(await view(merged)).toEqual([{ k: 'a' }, { k: 'b' }, '7'])
  })

  test('the paths of a file are relative to its folder', async () => {
    written({
      'deep/a/one.xml': '<o extends="../two"/>',
      'deep/two.xml': '<o extends="a/three"/>',
      'deep/a/three.xml': '<o><k>v</k></o>',
    })
    expect(await view('<x extends="deep/a/one"/>')).toEqual({ k: 'v' })
  })

  test('a path is tried as it is before ends are added, and a folder is passed over', async () => {
    written({
      'both/x.xml': '<o><k>inside</k></o>',
      'both.xml': '<o><k>file</k></o>',
      plain: '<o><k>plain</k></o>',
      'plain.xml': '<o/>',
    })
    expect(await view('<x extends="both"/>')).toEqual({ k: 'file' })
    expect(await view('<x extends="plain"/>')).toEqual({ k: 'plain' })
  })

  test('a document may extend parts of itself', async () => {
    const self = '<a><base><x>1</x><y>2</y></base><own extends="self#base"><y>3</y></own></a>'
    expect(await views({ 'self.xml': self })).toEqual([{ base: { x: '1', y: '2' }, own: { x: '1', y: '3' } }])
  })

  test('a base document lies below everything that a document extends', async () => {
    const base = written({ 'base.xml': '<b extends="sub/three"><x>0</x><u>9</u></b>' })
    expect(await view('<o extends="one"><y>5</y></o>', { base })).toEqual({
      v: '4',
      x: '1',
      u: '9',
      y: '5',
      z: { in: '3' },
    })
  })

  test('what overrides a text is not put into the expression or the reference of the base', async () => {
    written({ 'exp.xml': `<t><url exp="concat('')"><h>a</h><h>b</h></url><r ref="url"/></t>` })
    expect(await view('<t extends="exp"><url>c</url><r>d</r></t>')).toEqual({ url: 'c', r: 'd' })
    expect(await view('<t extends="exp"><url><h>x</h><h>y</h></url></t>')).toEqual({ url: 'xy', r: 'xy' })
    expect(await view('<t extends="exp"><url ref="z"/><z>q</z></t>')).toEqual({ url: 'q', r: 'q', z: 'q' })
  })

  test('a loop is replaced by one of another form', async () => {
    written({ 'loop.xml': '<t><foreach name="n" sep=" ">1 2</foreach></t>' })
    expect(await views({ 'a.xml': '<t extends="loop"><foreach name="n" range="7..8"/></t>' })).toEqual([
      { n: '7' },
      { n: '8' },
    ])
    expect(await views({ 'a.xml': '<t extends="loop"><foreach name="n">5</foreach></t>' })).toEqual([
      { n: '5' },
    ])
  })
})

describe('system values', () => {
  const options = { clock: () => Date.UTC(2026, 10, 27, 7, 8, 9, 10), random: () => 0.5 }
  const cases: readonly [path: string, expected: unknown][] = [
    ['sys:time', '2026-11-27T07:08:09.010Z'],
    ['sys:time:dateTime', '2026-11-27T07:08:09.010Z'],
    ['sys:time:longValue', Date.UTC(2026, 10, 27, 7, 8, 9, 10)],
    ["sys:time:dateTime/yyyyMMdd'T'HHmmss.SSS", '20261127T070809.010'],
    ['sys:random', 2 ** 30],
    ['sys:random:intValue', 2 ** 30],
    ['sys:random:longValue', Math.floor(Number.MAX_SAFE_INTEGER / 2)],
    ['sys:path', folder],
    ['sys:path:here/data/x', `${folder}/data/x`],
    ['sys:path:pwd', process.cwd()],
    ['sys:path:pwd/x', `${process.cwd()}/x`],
  ]
  test.each(cases)('%s', async (path, expected) => {
    expect(await view(`<a><v extends="${path}"/></a>`, options)).toEqual({ v: expected })
  })

  test('variables of the environment are read by name, if allowed', async () => {
    const environment = { HOST: 'db1', SECRET: 's3cret' }
    const allowed = { environment, variables: ['HOST', 'OTHER'] }
    expect(
      await view('<a><v extends="sys:env:HOST"/><w extends="sys:env:getenv/HOST"/></a>', allowed),
    ).toEqual({ v: 'db1', w: 'db1' })
    expect(await failure('<a><v extends="sys:env:SECRET"/></a>', allowed)).toBe(
      'wrong.xml:1, a/v: extends: the variable SECRET of the environment may not be read. Allow it by name.',
    )
    expect(await failure('<a><v extends="sys:env:OTHER"/></a>', allowed)).toContain(
      'OTHER of the environment is not set',
    )
  })

  test.each([
    ['sys:tiem', "there is no 'sys:tiem'. Did you mean 'time'?"],
    ['sys:time:dateTime/QQ', "there is no 'sys:time:dateTime/QQ'"],
    ['sys:time:noon', 'Known: sys:time,'],
    ['sys:random:double', "there is no 'sys:random:double'"],
    ['sys:env', "there is no 'sys:env'"],
    ['sys:path:home', "there is no 'sys:path:home'"],
    ['sys:constructor', "there is no 'sys:constructor'"],
  ])('%s is refused', async (path, says) => {
    expect(await failure(`<a><v extends="${path}"/></a>`)).toContain(says)
  })
})

describe('mistakes', () => {
  test.each([
    [
      '<a extends="nowhere"/>',
      "wrong.xml:1, a: extends: there is no file 'nowhere' here, also not with .xml, .json, .properties, .yaml, .yml.",
    ],
    ['<a extends="one#nope"/>', "extends: there is no element 'nope' in o of one.xml. Known: x, y, z."],
    ['<a extends="one#z/nope"/>', "there is no element 'z/nope'"],
    ['<a extends="one#a//b"/>', 'behind # stand tags with / between them'],
    ['<a extends="one;"/>', 'extends has an empty path'],
    ['<a extends=""/>', 'extends has an empty path'],
    ['<a extends="one;."/>', "'.' stands alone in extends"],
    ['<a extends="#x"/>', "'#x' names no file"],
    ['<a extends="lib:none:x"/>', "there is no library 'none'. Known: none"],
    ['<a extends="lib:none"/>', "'lib:none' must be lib:NAME:path"],
    ['<a extends="http://host/x"/>', "there is no scheme 'http:'"],
    ['<a extends="wrong"/>', 'the documents extend each other in a circle: wrong.xml → wrong.xml'],
    ['<a><b extends="wrong#b"/></a>', 'in a circle: wrong.xml#b → wrong.xml#b'],
  ])('%s', async (document, says) => {
    expect((await failure(document)).replaceAll(`${folder}/`, '')).toContain(says)
  })

  test('a circle through mixins and folders lists its files', async () => {
    written({
      'ring/a.xml': '<a extends="../one;b"/>',
      'ring/b.yaml': 'x: { $extends: ../ring/c }',
      'ring/c.json': '{"$extends":"a#k"}',
    })
    const found = await failure({ 'start.xml': '<s><t extends="ring/a"/></s>' })
    expect(found).toContain('in a circle: ring/b.yaml → ring/c.json → ring/a.xml#k → ring/b.yaml')
  })

  test('a mistake in a file that is not needed does not matter', async () => {
    written({ 'half.xml': '<h><good>1</good><bad extends="nowhere"/></h>', 'bad.xml': '<h' })
    expect(await view('<a extends="half#good"/>')).toBe('1')
    expect(await failure('<a extends="half"/>')).toContain(
      "half.xml:1, h/bad: extends: there is no file 'nowhere'",
    )
    expect(await failure('<a extends="bad"/>')).toMatch(/^bad\.xml:1: it is not well-formed XML/)
  })
})
