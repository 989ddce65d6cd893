/** One contestant of a comparison. */
export interface Contestant {
  readonly name: string
  /** Run one round; the result is what is compared. */
  run(): Promise<Round>
}

/** The result of one round. */
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
  /** Between what both medians lie with a probability of 95 %. */
  readonly throughputInterval: Interval
  readonly latencyInterval: Interval
  readonly rounds: readonly Round[]
}

/** The lower and the upper end. */
export type Interval = readonly [number, number]

/** Run contestants in turn, `rounds` times after one round that is not counted; compare within each round. */
export async function interleaved(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly Outcome[]> {
  const all = contestants.map((): Round[] => [])
  for (let round = 0; round <= rounds; round++) {
    // Every round starts with another one, so that none always follows the same garbage.
    for (let i = 0; i < contestants.length; i++) {
      const turn = (i + round) % contestants.length
      const result = await (contestants[turn] as Contestant).run()
      if (round > 0) all[turn]?.push(result)
    }
  }
  return contestants.map(({ name }, i) =>
    outcomeOf(name, all[0] as readonly Round[], all[i] as readonly Round[]),
  )
}

function outcomeOf(name: string, base: readonly Round[], own: readonly Round[]): Outcome {
  const throughput = own.map((round, n) => round.opsPerSecond / (base[n] as Round).opsPerSecond)
  const latency = own.map((round, n) => round.p50Us / (base[n] as Round).p50Us)
  return {
    name,
    opsPerSecond: median(own.map((round) => round.opsPerSecond)),
    p50Us: median(own.map((round) => round.p50Us)),
    throughputRatio: median(throughput),
    latencyRatio: median(latency),
    throughputInterval: medianInterval(throughput),
    latencyInterval: medianInterval(latency),
    rounds: own,
  }
}

/** Between which of these values their median lies with a probability of 95 %, for any distribution (by the sign test). */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((a, b) => a - b)
  const { length } = sorted
  const rank = Math.max(0, Math.floor((length - 1.96 * Math.sqrt(length)) / 2))
  return [sorted[rank] as number, sorted[length - 1 - rank] as number]
}

/** The middle value; the mean of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
