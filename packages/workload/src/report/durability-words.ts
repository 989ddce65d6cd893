/** What becomes of an acknowledged write, by the durability that a store declares. */
export const durabilityWords: Readonly<Record<string, string>> = {
  memory: 'in memory, lost when the server ends',
  buffered: 'buffered, survives a crash of the process but not of the machine',
  flushed: 'flushed to disk',
  replicated: 'on several machines',
}
