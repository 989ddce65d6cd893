import { announce, renew, withdraw } from './announcement.ts'
import { awaitRest } from './writing.ts'

/*
 * Every process that opens an environment with lmdb-js (3.5.6 and all before it that were tried; mdb_env_open2 in its
 * mdb.c) sets the number of the last transaction, which all processes share, to what it read when it began to open. A
 * commit of another process in between is taken back, although it was acknowledged.
 *
 * Therefore a process that opens says so by a file, and waits until no process writes; and a process that writes lets
 * openings pass first (`writing.ts`).
 */

/** Open an environment while no process commits to it. */
export function openAlone<T>(data: string, open: () => T): T {
  announce(data)
  try {
    awaitRest(data, () => renew(data))
    return open()
  } finally {
    withdraw(data)
  }
}
