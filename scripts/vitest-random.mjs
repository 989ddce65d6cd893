import fc from 'fast-check'

// `vitest.config.ts` puts this in the place of `fast-check`: no property draws a seed of its own, so a run that passed
// once passes again.
fc.configureGlobal({ seed: Number(process.env.UNIKV_SEED ?? 1) })

export * from 'fast-check'
// oxlint-disable-next-line no-default-export -- as the package has one
export default fc
