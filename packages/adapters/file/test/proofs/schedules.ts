import { Ledger } from './ledger.ts'
import { ModelDisk } from './model-disk.ts'
import { random } from './random.ts'
import { inspector, Simulation } from './simulation.ts'
import { work } from './worker.ts'

/** What a schedule showed. */
export interface ScheduleResult {
  readonly problem: string | undefined
  readonly calls: number
  readonly kills: number
  readonly acknowledged: number
}

/**
 * Three processes with two workers each over one folder, call by call in an order of the seed's; now and then
 * one is killed and another takes its place. In the end: no write lost, no condition wrong, every count exact,
 * and no trace of the dead.
 */
export async function schedule(seed: number): Promise<ScheduleResult> {
  const chance = random(seed)
  const disk = new ModelDisk()
  const simulation = new Simulation(disk, chance)
  const notes = new Ledger()
  const living: number[] = []
  let kills = 0
  const start = () => {
    const { id, dataset } = simulation.start()
    living.push(id)
    for (let i = 0; i < 2; i++) void work(dataset, random(chance.below(2 ** 31)), notes, 6)
  }
  for (let i = 0; i < 3; i++) start()
  const killChance = chance.pick([0, 0.005, 0.02])
  while (await simulation.turn()) {
    if (kills >= 6 || chance.next() >= killChance) continue
    kills++
    const [victim] = living.splice(chance.below(living.length), 1) as [number]
    simulation.kill(victim)
    start()
  }
  const problem = notes.problemWith(inspector(disk)) ?? (await litter(disk))
  return { problem, calls: simulation.calls, kills, acknowledged: notes.acknowledged }
}

/** Names that are left when the next writer has cleaned up, and should not be. */
export async function litter(disk: ModelDisk): Promise<string | undefined> {
  const next = inspector(disk)
  await next.write([{ type: 'delete', key: 'none', version: '0'.repeat(24) }], {
    deadlineAt: Number.POSITIVE_INFINITY,
  })
  await next.close()
  const left = disk
    .paths()
    .filter((path) => !/\/unikv\/([0-9a-f]\/[kd]-[^/]*|locks\/b-[0-9a-f]+|unikv\.json)$/.test(path))
  return left.length === 0 ? undefined : `left behind: ${left.join(' ')}`
}
