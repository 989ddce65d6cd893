import { StoreError, type Version } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { folderIsGone } from './file-errors.ts'
import { codeOf } from './file-system.ts'
import type { Files } from './files.ts'
import type { Processes } from './owner.ts'
import type { Steps } from './steps.ts'

/*
 * Who may replace a record: claims, so that a change of a record is one atomic step over all processes, and a
 * process that is killed at any point holds up nobody.
 *
 * A record is named by its version, which never comes again. The claim of version V is a file `c-V-0`, made by
 * `link`, which succeeds for one process alone: a second name of the identity file of its holder, so that it is
 * complete from the first moment. If the holder is dead, the claim passes to whoever makes `c-V-1`, and so on:
 * a dead holder's claim is never taken away while it counts, so nobody can take a living one's by mistake.
 *
 * The holder reads the record again under the claim. If it has V still, only the holder can replace it; if not,
 * the claim is of a version that is gone, and worthless. That is why a late claimant does no harm, and why
 * claims need not be on the disk: they protect only against processes that live at the same time.
 */

/** A living process in a container of its own cannot be seen: after so long without a sign of life it is dead. */
const unseenMs = 60_000

/** A claim that is held. */
export interface Claim {
  readonly version: Version
  readonly link: number
}

/** The claims of a dataset. */
export class Claims {
  readonly #files: Files
  readonly #processes: Processes
  readonly #folder: string
  /** The identity of the writer, and the file that bears it. */
  readonly identity: string
  readonly #identityPath: string

  constructor(files: Files, processes: Processes, folder: string) {
    this.#files = files
    this.#processes = processes
    this.#folder = folder
    this.identity = processes.identity()
    this.#identityPath = `${folder}/${identityName(this.identity)}`
  }

  /** Say who writes, before anything is written. On the disk, so that what this writer leaves is found. */
  *announce(): Steps<void> {
    yield* this.#files.create(this.#identityPath, Buffer.from(this.identity))
    const probe = `${this.#folder}/l-${this.identity}`
    try {
      yield* this.#files.link(this.#identityPath, probe)
    } catch (error) {
      yield* this.#files.remove(this.#identityPath)
      throw new StoreError(
        'INVALID_CONFIG',
        'The file system has no hard links, which the file store needs. Choose a directory on another one.',
        { cause: error },
      )
    }
    yield* this.#files.remove(probe)
    yield* this.#files.flushFolder(this.#folder)
  }

  /** The writer has ended. */
  *withdraw(): Steps<void> {
    yield* this.#files.remove(this.#identityPath)
  }

  /** Claim a version of a record. `undefined`: a living process holds it. */
  *take(version: Version): Steps<Claim | undefined> {
    const dead: string[] = []
    while (true) {
      const link = dead.length
      if (yield* this.#make(version, link)) {
        if (yield* this.#follows(version, dead)) return { version, link }
        yield* this.#files.remove(this.#path(version, link))
        dead.length = 0
        continue
      }
      const holder = yield* this.#holder(version, link)
      if (holder === undefined) dead.length = 0
      else if (yield* this.isDead(holder)) dead.push(holder)
      else return this.#held(holder)
    }
  }

  /**
   * Give a claim back, with those of its dead holders. In ascending order: whoever comes in between and finds
   * the first one free holds it rightly, as what the claim was for is done. If it fails, the claim stays until
   * this process ends; what it was for is done all the same.
   */
  *release({ version, link }: Claim): Steps<void> {
    try {
      for (let i = 0; i <= link; i++) yield* this.#files.remove(this.#path(version, i))
    } catch {
      // As said above.
    }
  }

  /** Whether a writer is known to be dead. */
  isKnownDead(identity: string): boolean {
    return this.#processes.life(identity) === 'dead'
  }

  /** Whether a writer that was announced is dead. One that cannot be seen is, when it has given no sign of life for `unseenMs`. */
  *isDead(identity: string): Steps<boolean> {
    const life = this.#processes.life(identity)
    if (life !== 'unknown') return life === 'dead'
    const look = yield* this.#files.look(`${this.#folder}/${identityName(identity)}`)
    return look === undefined || look.changedAt + unseenMs < wallClock()
  }

  /** The names of all that writers have here. */
  *names(): Steps<readonly string[]> {
    return (yield* this.#files.list(this.#folder)) ?? []
  }

  /**
   * Remove what dead writers have here: identities, and claims. A version is claimed before its dead holder's
   * claim is removed, which may count still; whoever holds it may remove all that comes after, which only a
   * death amid a release leaves.
   */
  *removeTraces(isDead: (identity: string) => Steps<boolean>): Steps<void> {
    for (const name of yield* this.names()) {
      const path = `${this.#folder}/${name}`
      const [, version, link] = /^c-([0-9a-z]+)-([0-9]+)$/.exec(name) ?? []
      if (version === undefined) continue
      const holder = (yield* this.#files.read(path))?.toString('latin1')
      if (holder === undefined || !(yield* isDead(holder))) continue
      const claim = yield* this.take(version)
      if (claim === undefined) continue
      if (Number(link) > claim.link) yield* this.#files.remove(path)
      yield* this.release(claim)
    }
    // Last, as it is they by which the others are found.
    for (const name of yield* this.names())
      if (/^[lo]-/.test(name) && (yield* isDead(name.slice(2))))
        yield* this.#files.remove(`${this.#folder}/${name}`)
  }

  /** Whether `noteSearch` was called since the machine was started, going by these names. */
  isSearched(names: readonly string[]): boolean {
    return names.includes(searchName(this.#processes.boot))
  }

  /**
   * Write down that all that was left before this start of the machine is gone: after a crash of the machine,
   * names that were removed may be there again.
   */
  *noteSearch(): Steps<void> {
    const name = searchName(this.#processes.boot)
    for (const other of yield* this.names())
      if (other.startsWith('b-') && other !== name) yield* this.#files.remove(`${this.#folder}/${other}`)
    yield* this.#files.link(this.#identityPath, `${this.#folder}/${name}`)
  }

  /** A living process holds the claim: wait for it, unless it waits for us. */
  #held(holder: string): undefined {
    if (!this.#files.system.blocks || !this.#processes.isHere(holder)) return undefined
    throw new StoreError(
      'UNAVAILABLE',
      'Another store of this thread is changing the record and cannot go on while this call blocks.',
    )
  }

  *#make(version: Version, link: number): Steps<boolean> {
    try {
      return yield* this.#files.link(this.#identityPath, this.#path(version, link))
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      throw folderIsGone(error)
    }
  }

  /** Whether a new link stands at the end of the same dead holders still. */
  *#follows(version: Version, dead: readonly string[]): Steps<boolean> {
    for (const [link, holder] of dead.entries()) {
      if ((yield* this.#holder(version, link)) !== holder) return false
    }
    return true
  }

  *#holder(version: Version, link: number): Steps<string | undefined> {
    return (yield* this.#files.read(this.#path(version, link)))?.toString('latin1')
  }

  #path(version: Version, link: number): string {
    return `${this.#folder}/c-${version}-${link}`
  }
}

function searchName(boot: string): string {
  return `b-${boot}`
}

function identityName(identity: string): string {
  return `o-${identity}`
}
