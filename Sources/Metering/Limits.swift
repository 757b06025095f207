/// Every bound of the core, each with its reason. Stages add theirs in their own folder.
package enum Limits {}
