export { type EhrOptions, ehr } from './ehr/ehr.ts'
