import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Rejection } from './excuses.ts'
import type { Seen, Write } from './judge.ts'

/** Milliseconds of a clock that all processes of this machine share, and that nobody sets. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

type Line =
  | readonly ['write', id: string, begun: Omit<Write, 'endMs'>]
  | readonly ['done', id: string, endMs: number, isUntold?: boolean]
  | readonly ['refused', id: string]
  | readonly ['seen', Seen]
  | readonly ['rejected', Rejection]

const flushAtBytes = 16_384

/**
 * What one process saw. A write is in the file before it is sent, so that a process that is killed leaves none behind that
 * nobody knows of.
 */
export class Journal {
  readonly #file: number
  #waiting = ''

  constructor(path: string) {
    this.#file = openSync(path, 'ax')
  }

  begin(id: string, key: string, value: string | undefined): void {
    this.#add(['write', id, { key, value, startMs: now() }])
    this.flush()
  }

  /** `isUntold`: other processes may not have been told of it. */
  done(id: string, endMs: number, isUntold: boolean): void {
    this.#add(isUntold ? ['done', id, endMs, true] : ['done', id, endMs])
  }

  refused(id: string): void {
    this.#add(['refused', id])
  }

  seen(seen: Seen): void {
    this.#add(['seen', seen])
  }

  rejected(rejection: Rejection): void {
    this.#add(['rejected', rejection])
  }

  flush(): void {
    writeSync(this.#file, this.#waiting)
    this.#waiting = ''
  }

  #add(line: Line): void {
    this.#waiting += `${JSON.stringify(line)}\n`
    if (this.#waiting.length > flushAtBytes) this.flush()
  }
}

/** What all processes saw. */
export interface Testimony {
  readonly writes: readonly Write[]
  readonly reads: readonly Seen[]
  readonly rejections: readonly Rejection[]
}

/** Merge the journals in a folder. The last line of one that was killed may be cut off. */
export function testimony(folder: string): Testimony {
  const writes = new Map<string, { -readonly [K in keyof Write]: Write[K] }>()
  const reads: Seen[] = []
  const rejections: Rejection[] = []
  for (const line of linesIn(folder)) {
    if (line[0] === 'write') writes.set(line[1], { ...line[2], endMs: undefined })
    else if (line[0] === 'seen') reads.push(line[1])
    else if (line[0] === 'rejected') rejections.push(line[1])
    else {
      const write = writes.get(line[1])
      if (write === undefined)
        throw new Error(`The journal holds the end of a write, but not its begin: ${line[1]}.`)
      if (line[0] === 'done') {
        write.endMs = line[2]
        if (line[3] === true) write.isUntold = true
      } else write.isRefused = true
    }
  }
  return { writes: Array.from(writes.values()), reads, rejections }
}

function linesIn(folder: string): readonly Line[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line),
  )
}
