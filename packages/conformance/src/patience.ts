/**
 * How long the suite waits for a condition before it calls it *never*, in milliseconds. It is far above what any store
 * needs, so that a slow or busy machine only takes longer.
 */
export const defaultPatienceMs = 60_000
