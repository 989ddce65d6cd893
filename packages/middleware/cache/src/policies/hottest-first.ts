import type { Resident } from './policy.ts'

/**
 * Residents by their heat, from 0 to `most`, the highest first; of equal ones who came first here is first. In one pass, as
 * there may be millions.
 */
export function hottestFirst(
  residents: Iterable<Resident>,
  heatOf: (resident: Resident) => number,
  most: number,
): readonly Resident[] {
  const byHeat = Array.from({ length: most + 1 }, (): Resident[] => [])
  for (const one of residents) byHeat[heatOf(one)]?.push(one)
  return byHeat.reverse().flat()
}
