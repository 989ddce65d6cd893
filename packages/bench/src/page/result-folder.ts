import { lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { newVersion, type StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import { invalidArgument } from '../options/invalid.ts'
import { knownKeysName } from '../run/known-keys.ts'
import { parseResult } from '../study/result-file.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import { resultFileNames, resultFiles } from './result-files.ts'
import { cellsName, liveName } from './run-folder.ts'

/** Folder inside a result folder that holds files until all of them are written. */
const draftPrefix = '.unikv-draft-'
/** Written last: where it is, the other files are. */
const lastFile: string = 'result.json'

/**
 * Reject a folder that cannot take a result: one that holds anything but an earlier result, or one that cannot be made
 * or written to. It is made and written to for trial, and nothing of that is left.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the folder
 */
export async function checkResultFolder(study: AnyStudy, folder: string): Promise<void> {
  // The path of nothing is the working directory.
  if (folder.trim() === '') throw invalidArgument('The name of the folder for the results must not be empty.')
  await earlierFiles(study, folder)
  const target = resolve(folder)
  try {
    const firstMade = await makeFolder(target)
    await rmdir(await mkdtemp(join(target, draftPrefix)))
    if (firstMade !== undefined) await removeMade(target, firstMade)
  } catch (error) {
    throw cannotTake(folder, error)
  }
}

/**
 * Write a result as a whole or not at all: files are moved to their places when all of them are written. An earlier
 * result there is replaced. The folder itself stays, since it may be a mount or somebody's working directory.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the folder holds anything else
 */
export async function writeResultFolder(study: AnyStudy, folder: string, result: AnyResult): Promise<void> {
  const target = resolve(folder)
  const firstMade = await makeFolder(target)
  const draft = join(target, `${draftPrefix}${newVersion()}`)
  try {
    const earlier = await earlierFiles(study, target)
    await mkdir(draft)
    const files = resultFiles(study, result)
    checkFileNames([...files.keys()])
    for (const [name, content] of files) await writeFile(join(draft, name), content)
    for (const name of earlier) await rm(join(target, name), { recursive: true })
    const names = [...files.keys()].filter((name) => name !== lastFile)
    for (const name of [...names, lastFile]) await rename(join(draft, name), join(target, name))
    await rmdir(draft)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (firstMade !== undefined) await removeMade(target, firstMade)
    throw error
  }
}

/** Names of stores are in those of files, and a result from elsewhere may name one so that its file lies in another folder. */
function checkFileNames(names: readonly string[]): void {
  const wrong = names.find((name) => name !== basename(name) || name.includes('\\'))
  if (wrong === undefined) return
  throw invalidArgument(`The result names a file '${wrong}' outside its folder.`)
}

/**
 * Make a folder and those above it, and return the first one that was not there. Not by `recursive` of `mkdir`, which
 * never ends where a folder is there and takes no others, such as /proc.
 */
async function makeFolder(folder: string): Promise<string | undefined> {
  const missing: string[] = []
  for (let place = folder; !(await isThere(place)); place = dirname(place)) missing.unshift(place)
  for (const place of missing) await mkdir(place)
  return missing[0]
}

/** A link to nothing is there, and no folder can be made in its place. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Folders that were made for nothing, unless something lies there by now. */
async function removeMade(folder: string, first: string): Promise<void> {
  for (let place = folder; place.length >= first.length; place = dirname(place))
    await rmdir(place).catch(() => {})
}

/** The files in the folder, all of them written for an earlier result; the file that is written last comes first. */
async function earlierFiles(study: AnyStudy, folder: string): Promise<string[]> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[]
    throw cannotTake(folder, error)
  })
  const entries = found.filter((name) => ![cellsName, liveName, knownKeysName].includes(name))
  const known: ReadonlySet<string> = entries.includes(lastFile)
    ? await namesOfEarlierResult(study, folder)
    : new Set()
  const foreign = entries.find((name) => !known.has(name) && !name.startsWith(draftPrefix))
  if (foreign === undefined)
    return [...new Set([lastFile, ...entries])].filter((name) => entries.includes(name))
  throw invalidArgument(
    `${folder} is not empty and holds more than an earlier result of this study (${foreign}): name another folder for the results.`,
  )
}

/** The names of the files of an earlier result, and of those that its gnuplot script draws. */
async function namesOfEarlierResult(study: AnyStudy, folder: string): Promise<ReadonlySet<string>> {
  try {
    const result = parseResult(study, (await readWhole(join(folder, lastFile))).toString('utf8'))
    return new Set([
      ...resultFileNames(study, result),
      ...study.report.figures(result).map(({ id }) => `${id}.svg`),
    ])
  } catch {
    return new Set()
  }
}

function cannotTake(folder: string, cause: unknown): StoreError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
  return invalidArgument(`${folder} cannot be used for the results (${code}).`, cause)
}
