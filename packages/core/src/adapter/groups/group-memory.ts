import { leftMs } from '../../contract/call.ts'
import type { GroupCall } from '../../contract/groups.ts'
import { monotonicClock, wallClock } from '../../platform/timers.ts'

/** Half of the age at which a sweep forgets groups by default. */
const longestMs = 1_800_000

/**
 * How long a group that was not there can tell the fate of a commit that would make it. A group that is not there looks the same before that commit, and
 * after it was made, emptied and swept. Deadlines stand still while a process is stopped, and sweeps go on: so the time is measured by both clocks.
 */
export class GroupMemory {
  readonly #wasThere: boolean
  readonly #beganAt: number = monotonicClock()
  readonly #beganWallAt: number = wallClock()
  readonly #ms: number

  /** `wasThere`: the group was there when the transaction read it, so that another one of its name is told by its birth. */
  constructor(wasThere: boolean, call: GroupCall) {
    this.#wasThere = wasThere
    this.#ms = Math.min(longestMs, leftMs(call))
  }

  /** Whether the group can still tell. */
  get lasts(): boolean {
    if (this.#wasThere) return true
    return Math.max(monotonicClock() - this.#beganAt, wallClock() - this.#beganWallAt) <= this.#ms
  }
}
