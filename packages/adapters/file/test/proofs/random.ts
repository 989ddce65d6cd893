import { Random } from '@unikv/test-kit/schedules'

/** The sequence of a seed, so that every run can be repeated. */
export function random(seed: number): Random {
  return new Random(seed ^ 0x9e3779b9)
}
