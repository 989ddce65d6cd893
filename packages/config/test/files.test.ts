import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { unfold } from '../src/index.ts'
import { failure, folder, view, views, written } from './documents.ts'

/** Outside of the folder of the documents. */
const outside = `${folder}-outside`

beforeAll(() => {
  mkdirSync(outside, { recursive: true })
  writeFileSync(join(outside, 'secret.xml'), '<s><password>s3cret</password></s>')
  written({
    'in/job.xml': '<j/>',
    'lib/t.xml': '<t extends="sub/u"><x>1</x></t>',
    'lib/sub/u.xml': '<u><y>2</y></u>',
  })
  symlinkSync(join(outside, 'secret.xml'), join(folder, 'link.xml'))
  symlinkSync(outside, join(folder, 'linked'))
  symlinkSync(join(folder, 'lib/t.xml'), join(folder, 'inner.xml'))
  return () => rmSync(outside, { recursive: true })
})

describe('files outside of the folders are not read', () => {
  const leads = 'leads out of the folders of the document and its libraries'
  test.each([
    ['../PLACE/secret', leads],
    ['../PLACE/secret.xml', leads],
    ['../PLACE/nowhere', leads],
    ['in/../../PLACE/secret', leads],
    ['ABSOLUTE/secret.xml', leads],
    ['/etc/passwd', leads],
    ['..', leads],
    ['link', "'link' is a symbolic link that leads out"],
    ['linked/secret', "'linked/secret' is a symbolic link that leads out"],
    ['file:///etc/passwd', "there is no scheme 'file:'"],
    ['file:link.xml', "there is no scheme 'file:'"],
    ['http://127.0.0.1/x', "there is no scheme 'http:'"],
    ['c:\\secret', "there is no scheme 'c:'"],
    ['%2e%2e/PLACE/secret', 'there is no file'],
    ['..%2fPLACE%2fsecret', 'there is no file'],
    ['..\\PLACE\\secret', leads],
    ['in', 'there is no file'],
    ['lib:t:../../PLACE/secret', leads],
    ['lib:t:/etc/passwd', leads],
  ])('%s', async (path, says) => {
    const place = relative(join(folder, '..'), outside)
    const document = `<a><b extends="${path.replaceAll('PLACE', place).replace('ABSOLUTE', outside)}"/></a>`
    const found = await failure(document, { libraries: { t: join(folder, 'lib') } })
    expect(found).toContain(says)
    expect(found).not.toContain('s3cret')
  })

  test('unless their folder is allowed, or a library', async () => {
    const there = { password: 's3cret' }
    expect(await view(`<a extends="${outside}/secret"/>`, { folders: [outside] })).toEqual(there)
    expect(await view('<a extends="link"/>', { folders: [outside] })).toEqual(there)
    expect(await view('<a extends="lib:o:secret"/>', { libraries: { o: outside } })).toEqual(there)
  })

  test('a link inside of the folder is followed', async () => {
    expect(await views({ 'sub-of-link.xml': '<a extends="lib/t"/>' })).toEqual([{ y: '2', x: '1' }])
    expect(await failure('<a extends="inner"/>')).toContain("there is no file 'sub/u' here")
  })

  test('a document in a subfolder does not read above its own folder', async () => {
    expect(await failure({ 'in/job.xml': '<j extends="../lib/t"/>' })).toContain(leads)
    expect(
      await views({ 'in/job.xml': '<j extends="../lib/t"/>' }, { folders: [join(folder, 'lib')] }),
    ).toEqual([{ y: '2', x: '1' }])
  })

  test('a NUL byte in a path is a mistake of the document', async () => {
    expect(await failure({ 'nul.json': '{"$extends":"a\\u0000b"}' })).toContain('is not a path')
  })
})

describe('a library', () => {
  test('has paths of its own', async () => {
    expect(
      await view('<a extends="lib:my-lib:t"><x>3</x></a>', { libraries: { 'my-lib': join(folder, 'lib') } }),
    ).toEqual({ y: '2', x: '3' })
  })

  test('that is missing is named with what was meant', async () => {
    const options = { libraries: { jobs: join(folder, 'lib') } }
    expect(await failure('<a extends="lib:job:t"/>', options)).toContain(
      "there is no library 'job'. Did you mean 'jobs'?",
    )
    expect(await failure('<a extends="lib:constructor:t"/>', options)).toContain(
      "there is no library 'constructor'",
    )
    expect(await failure('<a extends="lib:jobs:"/>', options)).toContain('must be lib:NAME:path')
  })
})

describe('the document itself', () => {
  test.each([
    ['nowhere.xml', 'nowhere.xml: there is no such file.'],
    ['in', 'in: it is a folder, not a file.'],
  ])('%s', async (name, says) => {
    await expect(unfold(join(folder, name))).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(says),
    })
  })

  test('may be XML without an end of its name', async () => {
    expect(await views({ README: ' <a>1</a>' })).toEqual(['1'])
    expect(await failure({ 'a.toml': 'a = 1' })).toContain(
      'its name must end with .xml, .json, .properties, .yaml, .yml, or it must be XML',
    )
  })

  test('is UTF-8 of at most 1 MiB', async () => {
    expect(await failure({ 'latin.xml': Buffer.from('<a>é</a>', 'latin1') })).toContain(
      'it is not UTF-8. Save it in that encoding',
    )
    expect(await failure({ 'utf16.xml': Buffer.from('\ufeff<a/>', 'utf16le') })).toContain('it is not UTF-8')
    expect(await failure({ 'said.xml': '<?xml version="1.0" encoding="ISO-8859-1"?><a/>' })).toContain(
      'the encoding ISO-8859-1 is not read',
    )
    expect(await views({ 'bom.xml': '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<a>é</a>' })).toEqual([
      'é',
    ])
    expect(await failure({ 'large.xml': `<a>${' '.repeat(2 ** 20)}</a>` })).toContain(
      'it has more than 1048576 bytes',
    )
  })
})
