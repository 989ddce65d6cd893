import fs from 'node:fs'

/*
 * Every process that opens an environment with lmdb-js (3.5.6 and all before it that were tried; mdb_env_open2 in its
 * mdb.c) sets the number of the last transaction, which all processes share, to what it read when it began to open. A
 * commit of another process in between is taken back, although it was acknowledged.
 *
 * Therefore who opens says so by a file. Who writes looks for it inside its transaction, when it is the only writer,
 * and commits after it is gone. What was about to be committed before it came is given some time.
 */

/** How long a commit that is under way may take, in milliseconds. */
const commitMs = 100
/** Somebody uses a file that was changed so lately. */
const usedMs = 2_000
/** Opening takes less: a file as old as this was left by a process that died. */
const staleMs = 1_000
const pollMs = 2

/** Open an environment while nobody commits to it. */
export function openAlone<T>(data: string, open: () => T): T {
  const announcement = announcementOf(data)
  // An empty file is new.
  const isUsed = fs.statSync(data).size > 0 && wasChangedWithin(data, usedMs)
  announce(announcement)
  try {
    if (isUsed) sleep(commitMs)
    return open()
  } finally {
    fs.rmSync(announcement, { force: true })
  }
}

/** Wait until no process is about to open the environment: inside a write transaction, before it is committed. */
export function awaitOpenings(data: string): void {
  const announcement = announcementOf(data)
  while (wasChangedWithin(announcement, staleMs)) sleep(pollMs)
}

function announcementOf(data: string): string {
  return `${data}-opening`
}

/** One at a time. */
function announce(announcement: string): void {
  for (;;) {
    try {
      fs.closeSync(fs.openSync(announcement, 'wx'))
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (!wasChangedWithin(announcement, staleMs)) fs.rmSync(announcement, { force: true })
      sleep(pollMs)
    }
  }
}

function wasChangedWithin(path: string, ms: number): boolean {
  // As a look whether it is there, and cheaper than `existsSync`.
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < ms
}

const nobody = new Int32Array(new SharedArrayBuffer(4))

/** LMDB is opened, and its transactions are run, without promises. */
function sleep(ms: number): void {
  Atomics.wait(nobody, 0, 0, ms)
}
