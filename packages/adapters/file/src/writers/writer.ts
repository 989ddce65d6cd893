import type { Files } from '../disk/files.ts'
import { Retries } from '../disk/retries.ts'
import type { Steps } from '../disk/steps.ts'
import { Claims } from './claims.ts'
import { Identity } from './identity.ts'
import type { Processes } from './owner.ts'

/** Everything that a store needs to write to a dataset: its identity, its claims, and the files it still has to remove. */
export class Writer {
  readonly identity: Identity
  readonly claims: Claims
  readonly retries: Retries

  constructor(files: Files, processes: Processes, folder: string) {
    this.retries = new Retries(files)
    this.identity = new Identity(files, processes, this.retries, folder)
    this.claims = new Claims(files, processes, this.identity, this.retries, folder)
  }

  /** Whether `show` has anything to do. */
  get isDue(): boolean {
    return this.identity.isSilent || this.retries.isPending
  }

  /** To be called with every use: gives others that cannot see this process a sign of life, and removes what it left. */
  *show(): Steps<void> {
    if (this.identity.isSilent) yield* this.identity.sign()
    if (this.retries.isPending) yield* this.retries.again()
  }

  /** The writer has ended. */
  *end(): Steps<void> {
    yield* this.retries.again()
    yield* this.identity.withdraw()
  }
}
