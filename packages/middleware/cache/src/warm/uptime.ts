/**
 * A clock that cannot be set, over restarts of the process: how long this machine has been up, and which boot that was.
 * `undefined` where there is none. Must not throw or reject.
 */
export type Uptime = () => Promise<UptimeReading | undefined>

/** Reading of such a clock. */
export interface UptimeReading {
  /** Names the boot: readings of another one say nothing of this one. Up to 255 bytes. */
  readonly boot: string
  /** Milliseconds since then. */
  readonly ms: number
}

// Taken when this is loaded, as timers are.
const { hrtime } = process // oxlint-disable-line no-restricted-properties

/** The boot of a Linux machine. */
export function machineUptime(): Uptime {
  let boot: Promise<string | undefined> | undefined
  return async () => {
    boot ??= bootId()
    const known = await boot
    return known === undefined ? undefined : { boot: known, ms: Number(hrtime.bigint()) / 1e6 }
  }
}

/** Node.js tells no boots apart by itself. */
async function bootId(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    const { readFile } = await import('node:fs/promises')
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  } catch {
    return undefined
  }
}
