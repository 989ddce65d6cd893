import { replaced } from './foreign-globals.ts'

/** The native side of an environment, as far as commits go. Undocumented. */
export interface LmdbCommits {
  readonly address: number
  startWriting(address: number, onStatus: (status: number) => unknown): unknown
}

/** The last status that is not the number of an error. */
const lastGoodStatus = 2

/**
 * Have commits that fail told by errors alone: lmdb-js writes them to the standard error output too. Nothing of the
 * application runs in between.
 */
export function tellByErrorsAlone(commits: LmdbCommits): void {
  const startWriting = commits.startWriting.bind(commits)
  const quietly: LmdbCommits['startWriting'] = (address, onStatus) =>
    startWriting(address, (status: number) =>
      status >= 0 && status <= lastGoodStatus
        ? onStatus(status)
        : replaced(
            globalThis.console,
            'error',
            () => {},
            () => onStatus(status),
          ),
    )
  // Its class has it read-only.
  Object.defineProperty(commits, 'startWriting', { value: quietly })
}
