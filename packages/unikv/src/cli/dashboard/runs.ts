import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderClaim, LiveRun, parseResult } from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import type { RunningEntry } from '@unikv/dashboard'
import { type LiveHead, liveFiles } from '../bench/live/live-folder.ts'

/** Runs that are under way, read from their result folders. */
export class Runs {
  readonly #places: () => Promise<ReadonlyMap<string, string>>
  readonly #followed = new Map<string, FollowedRun>()

  /** @param places folders in which a run may be under way, by name */
  constructor(places: () => Promise<ReadonlyMap<string, string>>) {
    this.#places = places
  }

  async list(): Promise<readonly RunningEntry[]> {
    const places = await this.#places()
    for (const name of this.#followed.keys()) if (!places.has(name)) this.#followed.delete(name)
    const entries = await Promise.all([...places].map(([name, place]) => this.#entryOf(name, place)))
    return entries.flatMap((entry) => entry ?? [])
  }

  async page(name: string): Promise<string> {
    const run = this.#followed.get(name)
    if (run !== undefined) return run.page()
    throw new StoreError('INVALID_ARGUMENT', 'This run has ended.')
  }

  async #entryOf(name: string, place: string): Promise<RunningEntry | undefined> {
    const run = this.#followed.get(name) ?? new FollowedRun(place)
    // A run that was killed leaves its files, but not its claim.
    const isThere = (await FolderClaim.holder(place)) !== undefined && (await run.read().catch(() => false))
    if (isThere) this.#followed.set(name, run)
    else this.#followed.delete(name)
    return isThere ? run.entry(name) : undefined
  }
}

/** One run: its events as they come, and its result so far. */
class FollowedRun {
  readonly #folder: string
  #run = new LiveRun()
  #head: LiveHead | undefined
  #readTo = 0
  #file = 0
  /** The end of a line that is not written yet. */
  #rest = ''
  #version = 0

  constructor(place: string) {
    this.#folder = FolderClaim.liveFolder(place)
  }

  /** Read on; whether a run is there. */
  async read(): Promise<boolean> {
    const file = await open(join(this.#folder, liveFiles.events))
    try {
      const { ino, size } = await file.stat()
      if (ino !== this.#file || size < this.#readTo) this.#begin(ino)
      const bytes = Buffer.alloc(size - this.#readTo)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#readTo)
      this.#readTo += bytesRead
      // Lines are JSON of ASCII and of names; a character that is cut in two would be in a line that is not whole.
      const lines = (this.#rest + bytes.toString('latin1', 0, bytesRead)).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#saw(JSON.parse(Buffer.from(line, 'latin1').toString('utf8')))
    } finally {
      await file.close()
    }
    const result = await stat(join(this.#folder, liveFiles.result)).catch(() => undefined)
    this.#version = result?.mtimeMs ?? 0
    return this.#head !== undefined
  }

  entry(name: string): RunningEntry {
    const { study, stores, startedAt: at } = this.#head as LiveHead
    const { done, cells } = this.#run
    const [text, now] = [this.#run.sentence(), this.#run.section()]
    return { name, study, stores, at, done, cells, text, now, version: this.#version }
  }

  async page(): Promise<string> {
    const { study: name, stores } = this.#head as LiveHead
    const study = await [...studies, ...documentStudies].find((one) => one.name === name)?.load()
    if (study === undefined) throw new StoreError('INVALID_ARGUMENT', `There is no study '${name}'.`)
    const text = await readFile(join(this.#folder, liveFiles.result), 'utf8').catch(() => undefined)
    const result = text === undefined ? undefined : parseResult(study, text)
    return this.#run.page(study, { stores, result })
  }

  /** Another run has the folder now. */
  #begin(file: number): void {
    this.#file = file
    this.#readTo = 0
    this.#rest = ''
    this.#head = undefined
    this.#run = new LiveRun()
  }

  #saw(line: LiveHead | Parameters<LiveRun['saw']>[0]): void {
    if ('startedAt' in line) this.#head = line
    else this.#run.saw(line)
  }
}
