import { Ledger } from './ledger.ts'
import { type Defects, ModelDisk } from './model-disk.ts'
import { random } from './random.ts'
import { litter } from './schedules.ts'
import { inspector, Simulation } from './simulation.ts'
import { work } from './worker.ts'

/** What the power cuts of one seed showed. */
export interface PowerLossResult {
  readonly states: number
  /** What was wrong after which cut; empty: nothing. */
  readonly problems: readonly string[]
  readonly calls: number
  readonly acknowledged: number
}

const cuts = 4

/**
 * Two processes with two workers each, until the power is cut between two calls of the file system, anywhere from
 * the making of the folder on; then again on what the crash has left, four times over.
 */
export async function powerLoss(seed: number, defects?: Defects): Promise<PowerLossResult> {
  const chance = random(seed)
  const problems: string[] = []
  let disk = defects === undefined ? new ModelDisk() : (await prepared()).with(defects)
  let notes = new Ledger()
  let calls = 0
  let acknowledged = 0
  for (let cut = 1; cut <= cuts; cut++) {
    const simulation = new Simulation(disk, chance)
    for (let i = 0; i < 4; i++) {
      const { dataset } = simulation.start()
      void work(dataset, random(chance.below(2 ** 31)), notes, 30)
      if (i % 2 === 0) void work(dataset, random(chance.below(2 ** 31)), notes, 30)
    }
    const end = chance.below(chance.pick([80, 400, 1_200]))
    while (simulation.calls < end) if (!(await simulation.turn())) break
    calls += simulation.calls
    acknowledged += notes.acknowledged
    disk = disk.crashed(chance)
    const problem = notes.problemWith(inspector(disk)) ?? (await litter(disk))
    if (problem !== undefined)
      return { states: cut, problems: [`cut ${cut}: ${problem}`], calls, acknowledged }
    notes = Ledger.of(inspector(disk))
  }
  return { states: cuts, problems, calls, acknowledged }
}

/** A disk with the folder of the dataset on it, so that a defect concerns records alone. */
async function prepared(): Promise<ModelDisk> {
  const disk = new ModelDisk()
  await litter(disk)
  return disk
}
