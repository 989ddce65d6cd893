import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resultFiles } from '../../../src/page/result-files.ts'
import { checkResultFolder, writeResultFolder } from '../../../src/page/result-folder.ts'
import { FolderClaim } from '../../../src/page/run-folder.ts'
import { sizes } from '../../../src/studies/sizes/sizes.ts'
import { fixtureResult } from './fixture-result.ts'

const result = fixtureResult()
const files = resultFiles(sizes, result)

describe('writeResultFolder', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'unikv-out-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  test('makes the folder, and replaces an earlier result and what gnuplot drew of it', async () => {
    const folder = join(root, 'deep', 'r')
    await writeResultFolder(sizes, folder, result)
    expect((await readdir(folder)).toSorted()).toEqual([...files.keys()].toSorted())
    await writeFile(join(folder, 'read-latency.svg'), '')
    await writeResultFolder(sizes, folder, fixtureResult({ parallel: 1 }))
    expect(await readdir(folder)).not.toContain('read-latency-parallel.dat')
    expect(await readdir(join(root, 'deep'))).toEqual(['r'])
  })

  test('takes an empty folder, and refuses one that holds anything else', async () => {
    const folder = join(root, 'mine')
    await mkdir(folder)
    await checkResultFolder(sizes, folder)
    await writeFile(join(folder, 'thesis.txt'), 'x')
    await expect(checkResultFolder(sizes, folder)).rejects.toThrow(
      `${folder} is not empty and holds more than an earlier result of this study (thesis.txt)`,
    )
    await expect(writeResultFolder(sizes, folder, result)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await readdir(folder)).toEqual(['thesis.txt'])
    expect((await readdir(root)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('refuses an earlier result beside which something else lies', async () => {
    const folder = join(root, 'both')
    await writeResultFolder(sizes, folder, result)
    await writeFile(join(folder, 'notes.md'), 'x')
    await expect(writeResultFolder(sizes, folder, result)).rejects.toThrow('notes.md')
    expect(await readFile(join(folder, 'notes.md'), 'utf8')).toBe('x')
  })

  test('writes no file outside the folder, whatever a result calls its stores', async () => {
    const names = { ...sizes.report, files: () => new Map([['../evil.hlog', 'x']]) }
    const writing = writeResultFolder({ ...sizes, report: names }, join(root, 'evil', 'r'), result)
    await expect(writing).rejects.toThrow("names a file '../evil.hlog' outside its folder")
    expect(await readdir(root)).not.toContain('evil')
  })

  test('is claimed by one run at a time', async () => {
    const folder = join(root, 'claimed')
    const claim = await FolderClaim.take(folder)
    await expect(FolderClaim.take(folder)).rejects.toThrow(`(process ${process.pid}) writes its results to`)
    const other = await FolderClaim.take(join(root, 'other'))
    await Promise.all([claim.release(), other.release()])
    await (await FolderClaim.take(folder)).release()
    expect(await readdir(root)).not.toContain('claimed')
  })

  test('refuses a path that is a file', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(checkResultFolder(sizes, join(root, 'file'))).rejects.toThrow('(ENOTDIR)')
  })
})
