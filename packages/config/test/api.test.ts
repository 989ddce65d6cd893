import { describe, expect, test } from 'vitest'
import { inherit, placeText, toJson, unfold } from '../src/index.ts'
import { folder, view, written } from './documents.ts'

describe('unfold', () => {
  const file = (): string =>
    written({ 'api.xml': '<a>\n<foreach name="t" range="1..3"/>\n<b>\n<c ref="t"/></b></a>' })

  test('gives documents with their index and the positions of their loops', async () => {
    const documents = await unfold(file())
    expect(documents.map(({ index, positions }) => [index, positions.get('t')])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
    expect(documents.map((document) => document.at('b/c')?.text)).toEqual(['1', '2', '3'])
    expect(documents[0]?.at('b/nowhere')).toBe(undefined)
  })

  test('gives the wanted documents only, once and in their order', async () => {
    const documents = await unfold(file(), { documents: [2, 0, 2] })
    expect(documents.map(({ index }) => index)).toEqual([0, 2])
    expect(await unfold(file(), { documents: [] })).toEqual([])
  })

  test.each([[[3]], [[-1]], [[0.5]], [['1']], [[Number.NaN]]])('refuses %j', async (documents) => {
    await expect(unfold(file(), { documents: documents as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('unfolds into 3 documents, with the indexes 0 to 2; got '),
    })
  })

  test('elements tell where they were written', async () => {
    const [document] = await unfold(file())
    const c = document!.at('b/c')!
    expect(c.place).toEqual({ file: `${folder}/api.xml`, line: 4 })
    expect(placeText(c)).toBe(`${folder}/api.xml:4`)
    expect(document!.error(c, 'the weight must be above 0').message).toBe(
      `${folder}/api.xml:4, a/b/c: the weight must be above 0.`,
    )
    expect(document!.error(c, 'x')).toMatchObject({ code: 'INVALID_CONFIG' })
    expect(() => document!.at('a//b')).toThrow('A path must be tags with / between them')
  })

  test('gives values that nobody else has', async () => {
    const [document] = await unfold(file())
    const first = toJson(document!) as { b: { c: string } }
    first.b.c = 'changed'
    expect(toJson(document!)).toEqual({ t: '1', b: { c: '1' } })
  })
})

describe('options', () => {
  test.each([
    [{ librarys: {} }, 'Unknown option `librarys` of unfold(). Did you mean `libraries`?'],
    [{ libraries: 'x' }, 'libraries must be an object with names and folders; got a string.'],
    [{ libraries: { 'a b': 'x' } }, "libraries: 'a b' must have letters, digits, _ and - only."],
    [{ libraries: { a: 5 } }, 'libraries.a must be a path; got a number.'],
    [{ folders: 'x' }, 'folders must be a list; got a string.'],
    [{ folders: [''] }, 'folders[0] must be a path; got an empty one.'],
    [{ variables: [5] }, 'variables[0] must be a path; got a number.'],
    [{ base: '' }, 'base must be a path; got an empty one.'],
    [{ clock: 5 }, '`clock` of unfold() must be a function, got a number.'],
    [{ documents: 5 }, 'documents must be a list of indexes, got a number.'],
    [5, 'The options of unfold() must be an object'],
  ])('%j', async (options, says) => {
    await expect(unfold(written({ 'o.xml': '<a/>' }), options as never)).rejects.toThrow(says)
  })

  test('a file that is not a path is refused', async () => {
    await expect(unfold(5 as never)).rejects.toThrow('file must be a path; got a number.')
    await expect(inherit('')).rejects.toThrow('file must be a path; got an empty one.')
    await expect(inherit('x.xml', { documents: [1] } as never)).rejects.toThrow(
      'Unknown option `documents` of inherit()',
    )
  })

  test('a clock that returns no number is a mistake of the program', async () => {
    await expect(view('<a extends="sys:time"/>', { clock: () => Number.NaN })).rejects.toThrow(
      'must return a finite number',
    )
  })
})
