import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FolderClaim, joinedPage } from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import type { ReportEntry, Reports } from '@unikv/dashboard'
import { namedResults } from '../bench/compare-folders.ts'
import { liveFiles } from '../bench/live/live-folder.ts'
import { readResult, studyOf } from '../bench/read-result.ts'
import { historyOf } from './history.ts'
import { Runs } from './runs.ts'

/** The results in folders that `unikv bench` wrote, and in the folders right below them. Read anew each time, so a run that ends meanwhile is there. */
export function reportsIn(folders: readonly string[]): Reports {
  const runs = new Runs(() => runFolders(folders))
  return {
    history: async (study) => historyOf(await resultFolders(folders), study),
    running: () => runs.list(),
    runningPage: (name) => runs.page(name),
    async list() {
      const places = await resultFolders(folders)
      const entries = await Promise.all([...places].map(([name, place]) => entryOf(name, place)))
      return entries.flatMap((entry) => entry ?? []).sort((a, b) => b.at - a.at)
    },
    async page(names) {
      const named = await resultPlaces(folders, names)
      const [only] = named
      const report = join(only ?? '', 'report.html')
      if (named.length === 1 && (await isFile(report))) return readFile(report, 'utf8')
      return joinedPage(await namedResults(named))
    },
  }
}

/** Whether a path is a folder with results, or with a run that is under way, in it or right below it. */
export async function holdsResults(path: string): Promise<boolean> {
  if ((await resultFolders([path])).size > 0) return true
  return (await runFolders([path])).size > 0
}

/** Folders with a result by name. */
function resultFolders(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return foldersWith(folders, 'result.json')
}

/** Folders with a run that is under way, or was killed. */
function runFolders(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return foldersWith(folders, join(basename(FolderClaim.liveFolder('')), liveFiles.events))
}

/** Those of these folders, and of those right below them, that have a file, by name. */
async function foldersWith(folders: readonly string[], file: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const folder of folders) {
    const below = await readdir(folder).catch(() => [])
    for (const place of [folder, ...below.map((name) => join(folder, name))])
      if (await isFile(join(place, file)))
        found.set(place === folder ? basename(folder) : `${basename(folder)}/${basename(place)}`, place)
  }
  return found
}

/** Bytes of a file of a result, at most. */
const mostBytes = 268_435_456

/** Whether there is such a file of a result. A link could lead to any file of this machine, and show it. */
async function isFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() === true && found.size <= mostBytes
}

/** The folders of results by their names, as the page lists them. @throws {StoreError} `INVALID_ARGUMENT` for one that is not there */
export async function resultPlaces(
  folders: readonly string[],
  names: readonly string[],
): Promise<readonly string[]> {
  const places = await resultFolders(folders)
  return names.map((name) => placed(places, name))
}

function placed(places: ReadonlyMap<string, string>, name: string): string {
  const place = places.get(name)
  if (place !== undefined) return place
  throw new StoreError('INVALID_ARGUMENT', 'There is no result of this name here any more.')
}

/** One that cannot be read is left out of the list: another version of unikv may have written it. */
async function entryOf(name: string, place: string): Promise<ReportEntry | undefined> {
  try {
    const study = await studyOf([...studies, ...documentStudies], place)
    const { startedAt, status, stores } = await readResult(study, place)
    return {
      name,
      study: study.name,
      at: Date.parse(startedAt),
      status,
      stores: stores.map((store) => store.name),
    }
  } catch {
    return undefined
  }
}
