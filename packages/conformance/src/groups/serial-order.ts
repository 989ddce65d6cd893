/** The lists that a committed transaction read, and those to which it appended its name. */
export interface Observation {
  readonly name: string
  readonly read: ReadonlyMap<string, readonly string[]>
  readonly appended: readonly string[]
}

/**
 * Whether there is an order in which these transactions, one after the other, read what they read and leave the lists as they
 * are in the end.
 */
export function isSerial(
  seen: readonly Observation[],
  last: ReadonlyMap<string, readonly string[]>,
): boolean {
  const known = new Set(seen.map(({ name }) => name))
  const isFitting = seen.every(
    ({ name, read, appended }) =>
      appended.every((key) => last.get(key)?.includes(name) === true) &&
      [...read].every(([key, list]) => isPrefix(list, last.get(key) ?? [])),
  )
  const isComplete = [...last.values()].every(
    (list) => new Set(list).size === list.length && list.every((name) => known.has(name)),
  )
  return isFitting && isComplete && !hasCycle(followersOf(seen, last))
}

/** For each transaction those that come later in any order that fits. */
function followersOf(
  seen: readonly Observation[],
  last: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const followers = new Map(seen.map(({ name }) => [name, new Set<string>()]))
  const follows = (earlier: string | undefined, later: string | undefined): void => {
    if (earlier !== undefined && later !== undefined && earlier !== later) followers.get(earlier)?.add(later)
  }
  for (const list of last.values()) for (const [i, name] of list.entries()) follows(list[i - 1], name)
  for (const { name, read } of seen)
    for (const [key, list] of read) {
      follows(list.at(-1), name)
      follows(
        name,
        last
          .get(key)
          ?.slice(list.length)
          .find((other) => other !== name),
      )
    }
  return followers
}

function hasCycle(followers: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const left = new Map([...followers].map(([name]) => [name, 0]))
  for (const later of followers.values()) for (const name of later) left.set(name, (left.get(name) ?? 0) + 1)
  const free = [...left].filter(([, before]) => before === 0).map(([name]) => name)
  let placed = 0
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    placed++
    for (const later of followers.get(name) ?? []) {
      const before = (left.get(later) ?? 0) - 1
      left.set(later, before)
      if (before === 0) free.push(later)
    }
  }
  return placed < left.size
}

function isPrefix(list: readonly string[], whole: readonly string[]): boolean {
  return list.every((name, i) => whole[i] === name)
}
