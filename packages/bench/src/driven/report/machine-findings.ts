import { sharesOf } from '../../run/machine.ts'
import type { RunBesides } from '../result.ts'

/** Work of others, time of the host and pauses are told of from this share on. */
const told = 0.1

/** Other work on the machine during the runs; empty where it was little, or is not known. */
export function machineFindings(runs: readonly RunBesides[]): readonly string[] {
  const known = runs.flatMap(({ machine, lostMs = 0 }) =>
    machine === undefined ? [] : [{ machine, lostMs }],
  )
  const shares = known.map(({ machine, lostMs }) => ({
    ...sharesOf(machine),
    lost: machine.elapsedMs === 0 ? 0 : lostMs / machine.elapsedMs,
  }))
  const most = (of: 'others' | 'stolen' | 'lost'): number => Math.max(0, ...shares.map((one) => one[of]))
  const load = Math.max(0, ...known.map(({ machine }) => machine.loadAverage))
  const cores = known[0]?.machine.cores ?? 1
  const [others, stolen, lost] = [most('others'), most('stolen'), most('lost')]
  return [
    ...(others < told
      ? []
      : [
          `Other processes took up to ${Math.round(others * 100)} % of the machine during a run (load average ${load.toFixed(1)}, ${cores} ${cores === 1 ? 'core' : 'cores'}); a server of a store on this machine is one of them.`,
        ]),
    ...(stolen < told
      ? []
      : [
          `The host gave up to ${Math.round(stolen * 100)} % of the processor time of a run to other machines, so figures of another time may differ.`,
        ]),
    ...(lost < told
      ? []
      : [
          `The process that measured did not run for up to ${Math.round(lost * 100)} % of the time of a run, so times of operations are too long.`,
        ]),
  ]
}
