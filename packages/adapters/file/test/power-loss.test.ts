import { describe, expect, test } from 'vitest'
import type { Defects } from './proofs/model-disk.ts'
import { powerLoss } from './proofs/power-loss.ts'

const states = Number(process.env['UNIKV_STATES'] ?? 500)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

/** Cut the power in so many states, or until something of this kind is wrong; what was wrong after which. */
async function cutPower(defects?: Defects, sought?: RegExp): Promise<readonly string[]> {
  const sum = { states: 0, calls: 0, acknowledged: 0 }
  const problems: string[] = []
  const kinds = new Map<string, number>()
  const isFound = () => sought !== undefined && problems.some((problem) => sought.test(problem))
  for (let seed = firstSeed; sum.states < states && !isFound(); seed++) {
    const result = await powerLoss(seed, defects)
    sum.states += result.states
    sum.calls += result.calls
    sum.acknowledged += result.acknowledged
    for (const problem of result.problems) {
      const kind = problem.replace(/^cut \d+: |:.*$/g, '').replace(/\d+ counts/, 'counts')
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      problems.push(`seed ${seed}, ${problem}`)
    }
  }
  console.log(
    `${JSON.stringify(defects ?? 'no defect')}: ${sum.states} crash states, ${sum.calls} calls, ` +
      `${sum.acknowledged} acknowledged writes; wrong in ${problems.length} ${JSON.stringify([...kinds])}`,
  )
  return problems
}

describe('after the power was cut at any call', () => {
  test('no acknowledged write is lost, no record is torn, and the store works on', async () => {
    const problems = await cutPower()
    expect(problems).toEqual([])
  }, 1_200_000)

  test('the same proof finds losses when the flush of files is taken out', async () => {
    const problems = await cutPower({ dropsFileFlush: true }, /torn|CORRUPT/)
    expect(problems.join('\n')).toMatch(/torn|CORRUPT/)
  }, 1_200_000)

  test('the same proof finds losses when the flush of folders is taken out', async () => {
    const problems = await cutPower({ dropsFolderFlush: true }, /lost/)
    expect(problems.join('\n')).toMatch(/lost/)
  }, 1_200_000)
})
