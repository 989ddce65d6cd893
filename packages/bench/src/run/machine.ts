import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { cpuUsage, kill, version, versions } from 'node:process'
import { performance } from '@unikv/core/platform'
import { z } from 'zod'
import type { Plain } from '../options/option.ts'
import type { Environment } from './result.ts'

const amount = z.number().min(0)

/** The schema of a sample. */
export const machineSchema = z.strictObject({
  elapsedMs: amount,
  cores: z.int().min(1),
  /** Processes that ran or waited for a processor, by the mean of the last minute; 0 where the system does not tell. */
  loadAverage: amount,
  /** Processor time of this process. */
  ownMs: amount,
  /** Processor time of all other processes, a server of the store on this machine included. */
  othersMs: amount,
  /** Time that the host gave to other machines; `null` where the system does not tell. */
  stolenMs: amount.nullable(),
})

/** The work of a machine while something was measured. Times are of all its processors together. */
export type MachineSample = Plain<typeof machineSchema>

/** Do some work, and sample the machine meanwhile. */
export async function withMachine<T extends object>(
  work: () => Promise<T>,
): Promise<T & { readonly machine: MachineSample }> {
  const before = counters()
  const done = await work()
  return { ...done, machine: between(before, counters()) }
}

/** The share of the machine that other processes took, and the host took away. */
export function sharesOf({ elapsedMs, cores, othersMs, stolenMs }: MachineSample): {
  readonly others: number
  readonly stolen: number
} {
  const all = elapsedMs * cores
  return all === 0 ? { others: 0, stolen: 0 } : { others: othersMs / all, stolen: (stolenMs ?? 0) / all }
}

interface Counters {
  readonly atMs: number
  readonly ownMs: number
  readonly busyMs: number
  readonly stolenMs: number | null
}

function counters(): Counters {
  const { user, system } = cpuUsage()
  return { atMs: performance.now(), ownMs: (user + system) / 1_000, ...machineTimes() }
}

function between(before: Counters, after: Counters): MachineSample {
  const ownMs = after.ownMs - before.ownMs
  const busyMs = after.busyMs - before.busyMs
  const { stolenMs } = after
  return {
    elapsedMs: after.atMs - before.atMs,
    cores: availableParallelism(),
    loadAverage: loadavg()[0] ?? 0,
    ownMs,
    // The two are counted by different clocks, in steps of some milliseconds.
    othersMs: Math.max(0, busyMs - ownMs),
    stolenMs: stolenMs === null ? null : Math.max(0, stolenMs - (before.stolenMs ?? 0)),
  }
}

/** A tick of the counters of Linux, in milliseconds. */
const tickMs = 10

/** Times of all processors: Linux tells those that its host took away, too. */
function machineTimes(): Pick<Counters, 'busyMs' | 'stolenMs'> {
  try {
    return statTimes(readFileSync('/proc/stat', 'utf8'))
  } catch {
    const busyMs = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
    return { busyMs, stolenMs: null }
  }
}

/** The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal; the rest is in user and nice already. */
export function statTimes(text: string): Pick<Counters, 'busyMs' | 'stolenMs'> {
  const [, ...ticks] = text.slice(0, text.indexOf('\n')).trim().split(/\s+/).map(Number)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks
  return { busyMs: (user + nice + system + irq + softirq) * tickMs, stolenMs: steal * tickMs }
}

/** This machine and runtime. Nothing that names a person or a host. */
export function environment(): Environment {
  return {
    node: version,
    v8: versions.v8,
    platform: platform(),
    release: release(),
    architecture: arch(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  }
}

/** Whether this machine runs a process with this id. */
export function isAlive(processId: number): boolean {
  try {
    kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
