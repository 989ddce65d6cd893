import { StoreError, type Version } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { codeOf } from '../disk/file-system.ts'
import type { Files } from '../disk/files.ts'
import type { Retries } from '../disk/retries.ts'
import type { Steps } from '../disk/steps.ts'
import { type Identity, identityName } from './identity.ts'
import type { Processes } from './owner.ts'

/*
 * Decides which writer may replace a record: claims, so that a change of a record is one atomic step over all processes,
 * and a process that is killed at any point holds up no other.
 *
 * A record is named by its version, which never comes again. The claim of version V is a file `c-V-0`, made by
 * `link`, which succeeds for one process alone: a second name of the identity file of its holder, so that it is
 * complete from the first moment. If the holder is dead, the claim passes to the writer that makes `c-V-1`, and so on:
 * a dead holder's claim is never taken away while it counts, so a living one's is never taken by mistake.
 *
 * The holder reads the record again under the claim. If it has V still, only the holder can replace it; if not,
 * the claim is of a version that is gone, and worthless. That is why a late claimant does no harm, and why
 * claims need not be on the disk: they protect only against processes that live at the same time.
 *
 * A claim that its own writer could not remove is one of a dead holder for that writer, and is removed when it can be.
 */

/** The holder of a claim whose identity file is gone. */
export const nobody = ''

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
  readonly #retries: Retries
  readonly #identity: Identity
  /** Versions that calls of this writer hold, or are about to. */
  readonly #taken = new Set<Version>()

  constructor(files: Files, processes: Processes, identity: Identity, retries: Retries, folder: string) {
    this.#files = files
    this.#processes = processes
    this.#identity = identity
    this.#retries = retries
    this.#folder = folder
  }

  /** Claim a version of a record. `undefined`: a living process, or another call of this one, holds it. */
  *take(version: Version): Steps<Claim | undefined> {
    if (this.#taken.has(version)) return undefined
    this.#taken.add(version)
    let claim: Claim | undefined
    try {
      claim = yield* this.#take(version)
      return claim
    } finally {
      if (claim === undefined) this.#taken.delete(version)
    }
  }

  *#take(version: Version): Steps<Claim | undefined> {
    const dead: string[] = []
    while (true) {
      const claim = { version, link: dead.length }
      if (yield* this.#make(claim)) {
        if (yield* this.#follows(claim, dead)) return claim
        yield* this.#files.remove(this.#path(claim))
        dead.length = 0
        continue
      }
      const holder = yield* this.#holder(claim)
      if (holder === undefined) dead.length = 0
      // No call of this writer has it: it could not be removed.
      else if (holder === this.#identity.text || (yield* this.isDead(holder))) dead.push(holder)
      else return this.#held(holder)
    }
  }

  /**
   * Give a claim back, with those of its dead holders. In ascending order: a writer that comes in between and finds
   * the first one free holds it rightly, as what the claim was for is done, or has failed.
   */
  *release(claim: Claim): Steps<void> {
    yield* this.#giveBack(claim, () => this.#removeAll(claim))
    this.#taken.delete(claim.version)
  }

  /** If it fails, it is tried again when others may hold the version. */
  *#giveBack(claim: Claim, remove: () => Steps<boolean>): Steps<void> {
    yield* this.#retries.do(`claim of ${claim.version}`, remove, () => this.#removeLeft(claim))
  }

  *#removeAll({ version, link: last }: Claim): Steps<true> {
    for (let link = 0; link <= last; link++) yield* this.#files.remove(this.#path({ version, link }))
    return true
  }

  /** Those that this writer made. */
  *#removeOwn({ version, link: last }: Claim): Steps<true> {
    for (let link = 0; link <= last; link++) {
      const claim = { version, link }
      if ((yield* this.#holder(claim)) === this.#identity.text) yield* this.#files.remove(this.#path(claim))
    }
    return true
  }

  /** The same, unless a call of this writer is at it, which may need them. */
  *#removeLeft(claim: Claim): Steps<boolean> {
    if (this.#taken.has(claim.version)) return false
    this.#taken.add(claim.version)
    try {
      return yield* this.#removeOwn(claim)
    } finally {
      this.#taken.delete(claim.version)
    }
  }

  /** Whether a writer is known to be dead. */
  isKnownDead(identity: string): boolean {
    return this.#processes.life(identity) === 'dead'
  }

  /** Whether a writer that was announced is dead. One that cannot be seen is, when it was silent for `unseenMs`. */
  *isDead(identity: string): Steps<boolean> {
    if (identity === nobody) return true
    const life = this.#processes.life(identity)
    if (life !== 'unknown') return life === 'dead'
    const look = yield* this.#files.look(`${this.#folder}/${identityName(identity)}`)
    return look === undefined || look.changedAt + this.#processes.unseenMs < wallClock()
  }

  /** The names of all that writers have here. */
  *names(): Steps<readonly string[]> {
    return (yield* this.#files.list(this.#folder)) ?? []
  }

  /**
   * Remove what dead writers have here: identities, and claims. A version is claimed before its dead holder's
   * claim is removed, which may count still; its new holder may remove all that comes after, which only a
   * death amid a release leaves.
   */
  *removeTraces(isDead: (identity: string) => Steps<boolean>): Steps<void> {
    for (const name of yield* this.names()) {
      const path = `${this.#folder}/${name}`
      const [, version, link] = /^c-([0-9a-z]+)-([0-9]+)$/.exec(name) ?? []
      if (version === undefined) continue
      const holder = yield* this.#holderAt(path)
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
    yield* this.#files.link(this.#identity.path, `${this.#folder}/${name}`)
  }

  /** A living process holds the claim: wait for it, unless it waits for us. */
  #held(holder: string): undefined {
    if (!this.#files.system.blocks || !this.#processes.isHere(holder)) return undefined
    throw new StoreError(
      'UNAVAILABLE',
      'Another store in this thread is changing the record and cannot continue while this call blocks.',
    )
  }

  *#make(claim: Claim): Steps<boolean> {
    const path = this.#path(claim)
    try {
      return yield* this.#files.link(this.#identity.path, path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      // The identity is gone, or all is.
      yield* this.#identity.announceAnew()
      return yield* this.#files.link(this.#identity.path, path)
    }
  }

  /** Whether a new link stands at the end of the same dead holders still. A failure leaves no claim behind. */
  *#follows(claim: Claim, dead: readonly string[]): Steps<boolean> {
    const { version } = claim
    try {
      for (const [link, holder] of dead.entries())
        if ((yield* this.#holder({ version, link })) !== holder) return false
      return true
    } catch (error) {
      yield* this.#giveBack(claim, () => this.#removeOwn(claim))
      throw error
    }
  }

  *#holder(claim: Claim): Steps<string | undefined> {
    return yield* this.#holderAt(this.#path(claim))
  }

  /** The identity of the holder of a claim; `undefined`: there is no such file. */
  *#holderAt(path: string): Steps<string | undefined> {
    const text = (yield* this.#files.read(path))?.toString('latin1')
    return text === '' ? yield* this.#fileHolder(path) : text
  }

  /** The same if its writer had no room for its text: the identity file that the claim is another name of. */
  *#fileHolder(path: string): Steps<string | undefined> {
    const look = yield* this.#files.look(path)
    if (look === undefined) return undefined
    for (const name of yield* this.names()) {
      if (!name.startsWith(identityName(''))) continue
      if ((yield* this.#files.look(`${this.#folder}/${name}`))?.id === look.id)
        return name.slice(identityName('').length)
    }
    return nobody
  }

  #path({ version, link }: Claim): string {
    return `${this.#folder}/c-${version}-${link}`
  }
}

function searchName(boot: string): string {
  return `b-${boot}`
}
