import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { newVersion, StoreError } from '@unikv/core'
import type { SizesResult } from '../sizes/result.ts'
import { parseSizesResult } from '../sizes/result-schema.ts'
import { figures } from './figure.ts'
import { resultFiles } from './result-files.ts'

/**
 * Refuse a folder that could not take a result: one that holds anything but an earlier result.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the folder
 */
export async function checkResultFolder(folder: string): Promise<void> {
  await contentOf(folder)
}

/**
 * Write a result as a whole or not at all: into a folder beside it, which then takes its name. An earlier result
 * there is replaced.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the folder holds anything else
 */
export async function writeResultFolder(folder: string, result: SizesResult): Promise<void> {
  const target = resolve(folder)
  await mkdir(dirname(target), { recursive: true })
  const draft = join(dirname(target), `.${basename(target)}.${newVersion()}`)
  await mkdir(draft)
  try {
    for (const [name, content] of resultFiles(result)) await writeFile(join(draft, name), content)
    await replace(target, draft)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function replace(target: string, draft: string): Promise<void> {
  const content = await contentOf(target)
  if (content === 'empty') await rmdir(target)
  if (content !== 'earlier-result') return rename(draft, target)
  const old = `${draft}.old`
  await rename(target, old)
  await rename(draft, target)
  await rm(old, { recursive: true })
}

async function contentOf(folder: string): Promise<'nothing' | 'empty' | 'earlier-result'> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StoreError('INVALID_ARGUMENT', `${folder} cannot take the results (${error.code}).`, {
      cause: error,
    })
  })
  if (entries === undefined) return 'nothing'
  if (entries.length === 0) return 'empty'
  const known = await namesOfEarlierResult(folder)
  const foreign = entries.find((name) => !known.has(name))
  if (foreign === undefined) return 'earlier-result'
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${folder} is not empty and holds more than an earlier result (${foreign}): name another folder for the results.`,
  )
}

/** What an earlier result wrote there, and what its gnuplot script draws. */
async function namesOfEarlierResult(folder: string): Promise<ReadonlySet<string>> {
  try {
    const result = parseSizesResult(await readFile(join(folder, 'result.json'), 'utf8'))
    return new Set([...resultFiles(result).keys(), ...figures(result).map(({ id }) => `${id}.svg`)])
  } catch {
    return new Set()
  }
}
