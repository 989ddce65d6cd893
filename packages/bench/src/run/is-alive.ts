import { kill } from 'node:process'

/** Whether this machine runs a process with this id. */
export function isAlive(processId: number): boolean {
  try {
    kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
