import { zeta } from '../../src/random/ranks.ts'

/** The share of each rank by the exact Zipf law. */
export function zipfShares(items: number, theta = 0.99): number[] {
  const total = zeta(items, theta)
  return Array.from({ length: items }, (_, rank) => (rank + 1) ** -theta / total)
}

/** The share of each rank by Gray's formula: how many of all u lead to it. */
export function grayShares(items: number, theta = 0.99): number[] {
  const total = zeta(items, theta)
  const ofTwo = (1 + 0.5 ** theta) / total
  const eta = (1 - (2 / items) ** (1 - theta)) / (1 - ofTwo)
  const from = (rank: number): number => ((rank / items) ** (1 - theta) - 1 + eta) / eta
  return Array.from({ length: items }, (_, rank) => {
    if (rank < 2) return (rank + 1) ** -theta / total
    return from(rank + 1) - Math.max(ofTwo, from(rank))
  })
}
