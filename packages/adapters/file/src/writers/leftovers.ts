import type { Files } from '../disk/files.ts'
import type { Folder } from '../disk/folder.ts'
import type { Steps } from '../disk/steps.ts'
import { shardNames } from '../key-name.ts'
import { type Claims, nobody } from './claims.ts'
import { isIdentity } from './owner.ts'

/**
 * Remove what dead writers have left: records that were never finished, and claims. A living writer's files are
 * never touched. The identities show which writers died without a trace, so that without one, and if the
 * machine was not started anew, this is one look at two folders. If it is cut short, the next one does it.
 */
export function* removeLeftovers(files: Files, folder: Folder, claims: Claims): Steps<void> {
  const known = new Map<string, boolean>()
  function* isDead(identity: string): Steps<boolean> {
    let dead = known.get(identity)
    if (dead === undefined) {
      dead = identity === nobody || (isIdentity(identity) && (yield* claims.isDead(identity)))
      known.set(identity, dead)
    }
    return dead
  }
  yield* folder.removeHalfMade((identity) => isIdentity(identity) && claims.isKnownDead(identity))
  const names = yield* claims.names()
  let somebodyDied = false
  for (const name of names) if (name.startsWith('o-') && (yield* isDead(name.slice(2)))) somebodyDied = true
  if (!somebodyDied && claims.isSearched(names)) return
  for (const name of shardNames) yield* removeTemporaries(files, folder.shard(name), isDead)
  yield* claims.removeTraces(isDead)
  yield* claims.noteSearch()
}

function* removeTemporaries(
  files: Files,
  shard: string,
  isDead: (identity: string) => Steps<boolean>,
): Steps<void> {
  for (const name of (yield* files.list(shard)) ?? []) {
    const identity = /^t-([0-9a-f-]+)-[0-9]+$/.exec(name)?.[1]
    if (identity !== undefined && (yield* isDead(identity))) yield* files.remove(`${shard}/${name}`)
  }
}
