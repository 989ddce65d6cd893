import fs from 'node:fs'
import { wallClock } from '@unikv/core/platform'

/** Opening takes less, and who waits before it renews the announcement: one as old as this was left by a process that died. */
const staleMs = 1_000
/** Between two looks, in milliseconds. */
export const pollMs = 2

/** Whether somebody is about to open the environment. */
export function isOpening(data: string): boolean {
  // A look whether it is there, and cheaper than `existsSync`.
  const stats = fs.statSync(announcementOf(data), { throwIfNoEntry: false })
  return stats !== undefined && Math.abs(wallClock() - stats.mtimeMs) < staleMs + coarsenessOf(stats.mtimeMs)
}

/** How much a time stamp may differ from the time that was set, in milliseconds: some file systems keep whole seconds. */
export function coarsenessOf(mtimeMs: number): number {
  return mtimeMs % 1_000 === 0 ? 1_000 : 0
}

/** Say that the environment is about to be opened, by one at a time. */
export function announce(data: string): void {
  for (;;) {
    try {
      fs.closeSync(fs.openSync(announcementOf(data), 'wx'))
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (!isOpening(data)) withdraw(data)
      sleep(pollMs)
    }
  }
}

/** It takes longer. */
export function renew(data: string): void {
  const descriptor = fs.openSync(announcementOf(data), 'a')
  const now = wallClock() / 1_000
  fs.futimesSync(descriptor, now, now)
  fs.closeSync(descriptor)
}

/** It is open. */
export function withdraw(data: string): void {
  fs.rmSync(announcementOf(data), { force: true })
}

function announcementOf(data: string): string {
  return `${data}-opening`
}

const nobody = new Int32Array(new SharedArrayBuffer(4))

/** Wait without a promise. */
export function sleep(ms: number): void {
  Atomics.wait(nobody, 0, 0, ms)
}
