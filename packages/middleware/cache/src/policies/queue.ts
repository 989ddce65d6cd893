import type { Resident } from './policy.ts'

/** Residents in the order in which they were put here, linked through themselves: to come and to go allocates nothing. */
export class Queue {
  newest: Resident | undefined
  oldest: Resident | undefined
  size = 0
  bytes = 0

  push(resident: Resident): void {
    resident.newer = undefined
    resident.older = this.newest
    if (this.newest === undefined) this.oldest = resident
    else this.newest.newer = resident
    this.newest = resident
    this.size++
    this.bytes += resident.bytes
  }

  remove(resident: Resident): void {
    const { newer, older } = resident
    if (newer === undefined) this.newest = older
    else newer.older = older
    if (older === undefined) this.oldest = newer
    else older.newer = newer
    resident.newer = undefined
    resident.older = undefined
    this.size--
    this.bytes -= resident.bytes
  }

  /** From the newest to the oldest. */
  *newestFirst(): Generator<Resident> {
    for (let one = this.newest; one !== undefined; one = one.older) yield one
  }

  /** Put one of these last, as if it had just come. */
  renew(resident: Resident): void {
    if (resident.newer === undefined) return
    this.remove(resident)
    this.push(resident)
  }
}
