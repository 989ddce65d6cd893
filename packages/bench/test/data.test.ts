import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pointsOf } from '../src/data/data-source.ts'
import { filesSource } from '../src/data/files.ts'
import { functionSource, openData, synthetic } from '../src/data/open-data.ts'
import { gzipRatio } from '../src/studies/sizes/sizes-runner.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unikv-data-'))
  await mkdir(join(root, 'b', 'node_modules'), { recursive: true })
  await mkdir(join(root, '.git'))
  await writeFile(join(root, 'a.txt'), 'alpha')
  await writeFile(join(root, 'b', 'c.txt'), 'bravo!')
  await writeFile(join(root, 'b', 'empty'), '')
  await writeFile(join(root, 'z.bin'), Buffer.alloc(1_989, 'z'))
  await writeFile(join(root, '.hidden'), 'no')
  await writeFile(join(root, '.git', 'x'), 'no')
  await writeFile(join(root, 'b', 'node_modules', 'x'), 'no')
  await symlink('a.txt', join(root, 'link'))
})
afterAll(() => rm(root, { recursive: true }))

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

describe('synthetic', () => {
  test.each([0, 0.25, 0.5, 0.75, 0.9])(
    'of compressibility %s leaves gzip about the rest',
    async (compressibility) => {
      for (const size of [10_000, 100_000]) {
        const ratio = await gzipRatio(await synthetic({ seed: 1, compressibility }).objects(size, 3))
        expect(Math.abs(1 / ratio - (1 - compressibility))).toBeLessThan(0.05)
      }
    },
  )

  test('is nearly nothing for gzip at compressibility 1', async () => {
    expect(
      await gzipRatio(await synthetic({ seed: 1, compressibility: 1 }).objects(100_000, 1)),
    ).toBeGreaterThan(100)
  })

  test('gives the same distinct objects for the same seed, others for another', async () => {
    for (const size of [1, 3, 100, 1_000]) {
      const [first, second] = await synthetic({ seed: 5 }).objects(size, 2)
      expect(first!.length).toBe(size)
      expect([first, second]).toEqual(await synthetic({ seed: 5 }).objects(size, 2))
      if (size > 3) expect(first).not.toEqual(second)
      if (size > 3) expect(first).not.toEqual((await synthetic({ seed: 6 }).objects(size, 1))[0])
    }
  })

  test('refuses a compressibility outside 0 to 1', () => {
    for (const compressibility of [-0.1, 1.1, Number.NaN]) {
      expect(() => synthetic({ seed: 1, compressibility })).toThrow(
        'The compressibility must be a number from 0 to 1.',
      )
    }
  })
})

describe('filesSource', () => {
  test('cuts objects of the exact size out of the concatenated files', async () => {
    const source = await filesSource([root], 3)
    expect(source.totalBytes).toBe(2_000)
    const whole = `alphabravo!${'z'.repeat(1_989)}`
    for (const size of [1, 7, 500, 1_999, 2_000]) {
      for (const object of await source.objects(size, 20)) {
        expect(object.length).toBe(size)
        expect(whole).toContain(text(object))
      }
    }
    expect(text((await source.objects(2_000, 1))[0]!)).toBe(whole)
  })

  test('passes over hidden entries, node_modules, links and empty files', async () => {
    expect((await filesSource([root], 3)).description).toBe(`3 files of ${root} (2 KB)`)
  })

  test('draws offsets from the seed, all over the data', async () => {
    const offsets = async (seed: number): Promise<string[]> =>
      (await (await filesSource([root], seed)).objects(3, 400)).map(text)
    expect(await offsets(1)).toEqual(await offsets(1))
    expect(await offsets(1)).not.toEqual(await offsets(2))
    expect(new Set(await offsets(1)).size).toBeGreaterThan(2)
  })

  test('refuses a size above what the data holds instead of padding', async () => {
    const source = await filesSource([root], 1)
    await expect(source.objects(2_001, 1)).rejects.toThrow(
      'The data holds 2000 bytes, too few for objects of 2001 bytes. Use more data or smaller sizes; data is not padded.',
    )
  })

  test('cuts the same objects out of data that is too large to be kept', async () => {
    const large = join(root, 'large')
    await mkdir(large)
    for (const name of ['one', 'two']) await writeFile(join(large, name), Buffer.alloc(40e6, `${name}-`))
    const source = await filesSource([large], 7)
    const whole = 'one-'.repeat(3) + 'two-'.repeat(3)
    expect(source.totalBytes).toBe(80e6)
    for (const object of await source.objects(5, 50)) expect(whole).toContain(text(object))
    const [all] = await source.objects(80e6, 1)
    expect(text(all!.subarray(40e6 - 4, 40e6 + 4))).toBe('one-two-')
    const [point] = source.wholeFiles()
    expect((await point!.objects(5)).map(({ length }) => length)).toEqual([40e6, 40e6])
    await rm(large, { recursive: true })
  })

  test('stays the same when a file changes after it was opened', async () => {
    const source = await filesSource([root], 3)
    const before = await source.objects(1_500, 3)
    await writeFile(join(root, 'z.bin'), 'short')
    expect(await source.objects(1_500, 3)).toEqual(before)
    await writeFile(join(root, 'z.bin'), Buffer.alloc(1_989, 'z'))
  })

  test('takes whole files in classes of like size', async () => {
    const points = (await filesSource([root], 1)).wholeFiles()
    expect(points.map(({ size, range, available }) => ({ size, range, available }))).toEqual([
      { size: 6, range: [5, 6], available: 2 },
      { size: 1_989, range: [1_989, 1_989], available: 1 },
    ])
    expect((await points[0]!.objects(10)).map(text).toSorted()).toEqual(['alpha', 'bravo!'])
    expect((await points[0]!.objects(1)).length).toBe(1)
  })

  test('refuses what is not there or holds nothing', async () => {
    await expect(filesSource([join(root, 'nowhere')], 1)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `The data in ${join(root, 'nowhere')} cannot be read (ENOENT).`,
    })
    await expect(filesSource([join(root, '.git', '..', 'b', 'empty')], 1)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

describe('a user’s function', () => {
  test('makes the objects, as bytes or text', async () => {
    const source = functionSource(({ size, index }) => String(index).repeat(size), 1)
    expect((await source.objects(3, 2)).map(text)).toEqual(['000', '111'])
    const [point] = pointsOf(source, [4])
    expect(text((await point!.objects(1))[0]!)).toBe('0000')
  })

  test('gets a seed of each object’s own', async () => {
    const seeds: number[] = []
    const source = functionSource(({ size, seed }) => {
      seeds.push(seed)
      return new Uint8Array(size)
    }, 9)
    await source.objects(1, 3)
    await source.objects(1, 3)
    expect(new Set(seeds).size).toBe(3)
  })

  test('must return the size that was asked for, and bytes or text', async () => {
    await expect(functionSource(() => 'ab', 1).objects(3, 1)).rejects.toThrow(
      'returned 2 bytes where 3 were asked for',
    )
    await expect(functionSource(() => 5 as never, 1).objects(3, 1)).rejects.toThrow(
      'must return bytes or text',
    )
  })

  test('is the default export of a module', async () => {
    const path = join(root, 'make.mjs')
    await writeFile(path, 'export default ({ size }) => new Uint8Array(size).fill(7)')
    const source = await openData({ data: [path], seed: 1 })
    expect([...(await source.objects(2, 1))[0]!]).toEqual([7, 7])
    await writeFile(join(root, 'none.mjs'), 'export const x = 1')
    await expect(openData({ data: [join(root, 'none.mjs')], seed: 1 })).rejects.toThrow(
      'must export a function',
    )
    await expect(openData({ data: [join(root, 'gone.mjs')], seed: 1 })).rejects.toThrow('cannot be loaded')
    await rm(path)
    await rm(join(root, 'none.mjs'))
  })
})

describe('openData', () => {
  test('takes the word synthetic, directories and single files', async () => {
    expect((await openData({ data: ['synthetic'], seed: 1, compressibility: 0.2 })).description).toBe(
      'synthetic, compressibility 0.2',
    )
    expect((await openData({ data: [join(root, 'a.txt'), join(root, 'b')], seed: 1 })).description).toMatch(
      /^2 files of/,
    )
  })

  test('refuses mixtures, and a compressibility of real data', async () => {
    await expect(openData({ data: ['synthetic', root], seed: 1 })).rejects.toThrow('either synthetic or real')
    await expect(openData({ data: [root], seed: 1, compressibility: 0.5 })).rejects.toThrow(
      'only to synthetic data',
    )
  })
})
