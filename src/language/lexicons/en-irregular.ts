/**
 * Irregular English words, one per line: the base, then its other forms. Made for ragctl. Forms that are as
 * often another word are left out: `left`, `led` (LED), `saw`, `ground`, `bound`, `lit`, `shot`, `lives`.
 */
export const irregularWords = `arise arose arisen
awake awoke awoken
bear borne
beat beaten
become became
begin began begun
bend bent
bite bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
dwell dwelt
eat ate eaten
fall fell fallen
feed fed
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
foresee foresaw foreseen
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go went gone
grow grew grown
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lean leant
leap leapt
learn learnt
lend lent
lose lost
make made
mean meant
meet met
mistake mistook mistaken
outgrow outgrew outgrown
overcome overcame
oversee oversaw overseen
overtake overtook overtaken
pay paid
prove proven
rebuild rebuilt
repay repaid
resell resold
ride rode ridden
rise rose risen
run ran
say said
see seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sleep slept
slide slid
smell smelt
speak spoke spoken
spell spelt
spend spent
spill spilt
spin spun
spoil spoilt
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck stricken
strive strove striven
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
undertake undertook undertaken
uphold upheld
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
withhold withheld
withstand withstood
write wrote written
appendix appendices
bacterium bacteria
chairman chairmen
child children
crisis crises
criterion criteria
curriculum curricula
diagnosis diagnoses
foot feet
fungus fungi
half halves
hypothesis hypotheses
index indices
knife knives
man men
matrix matrices
mouse mice
nucleus nuclei
parenthesis parentheses
phenomenon phenomena
radius radii
shelf shelves
stimulus stimuli
synthesis syntheses
thesis theses
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women`
  .split("\n")
  .map((line) => line.split(" "));
