/** One contestant of a comparison. */
export interface Contestant {
  readonly name: string
  /** Run one round; the result is what is compared. */
  run(): Promise<Round>
}

/** What one round gave. */
export interface Round {
  readonly opsPerSecond: number
  /** Median latency of one operation in microseconds. */
  readonly p50Us: number
}

/** Medians of a contestant over all rounds, and its ratio to the first one, round by round. */
export interface Outcome {
  readonly name: string
  readonly opsPerSecond: number
  readonly p50Us: number
  /** Throughput over that of the first contestant in the same round. */
  readonly throughputRatio: number
  /** Median latency over that of the first contestant in the same round. */
  readonly latencyRatio: number
  readonly rounds: readonly Round[]
}

/** Run contestants in turn, `rounds` times after one round that is not counted; compare within each round. */
export async function interleaved(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly Outcome[]> {
  const all = contestants.map((): Round[] => [])
  for (let round = 0; round <= rounds; round++) {
    // Every round starts with another one, so that nobody always follows the same garbage.
    for (let i = 0; i < contestants.length; i++) {
      const turn = (i + round) % contestants.length
      const result = await (contestants[turn] as Contestant).run()
      if (round > 0) all[turn]?.push(result)
    }
  }
  const base = all[0] as Round[]
  return contestants.map(({ name }, i) => {
    const own = all[i] as Round[]
    return {
      name,
      opsPerSecond: median(own.map((round) => round.opsPerSecond)),
      p50Us: median(own.map((round) => round.p50Us)),
      throughputRatio: median(own.map((round, n) => round.opsPerSecond / (base[n] as Round).opsPerSecond)),
      latencyRatio: median(own.map((round, n) => round.p50Us / (base[n] as Round).p50Us)),
      rounds: own,
    }
  })
}

/** The middle value; the mean of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
