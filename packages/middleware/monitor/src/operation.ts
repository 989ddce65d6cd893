/** The names of operations: what a call was for. */
export const operations = [
  'read',
  'set',
  'delete',
  'touch',
  'increment',
  'scan',
  'find',
  'native',
  'transaction',
  'recovery',
] as const

/** The name of an operation: what a call was for. */
export type Operation = (typeof operations)[number]

/** Whether it is work of many calls, which are counted themselves. */
export function isOfCalls(name: string): boolean {
  return name === 'transaction' || name === 'recovery'
}

/** Whether a text is the name of an operation. */
export function isOperation(name: unknown): name is Operation {
  return (operations as readonly unknown[]).includes(name)
}
