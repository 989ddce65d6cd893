/**
 * Names of files of one folder, none of them twice, also where capitals do not count. Names of stores and caches may
 * hold what separates them in a file name, so `a-b` behind `c` and `a` behind `b-c` want the same one.
 */
export class FileNames {
  readonly #taken = new Set<string>()

  /** The name that is wanted, numbered if it is taken. `~` is in no name of a store or cache. */
  claim(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++) name = `${wanted}~${number}`
    this.#taken.add(name.toLowerCase())
    return name
  }
}
