//! Types that LEMS files define, and what they take over from NeuroML: compared with loops in f64, and with the same model in other words.

use spikelet::judge::judge;
use spikelet::{Network, Notice};
use spikelet_interchange::import::{self, File, Imported};
use spikelet_interchange::nir::Import;

use crate::neuroml::samples;

/// The file of a network: components, the network, what is recorded, for so many ms in steps of 0.01 ms.
fn lems(inside: &str, columns: &[&str], ms: u32) -> String {
    let columns: String = columns.iter().map(|quantity| format!("<OutputColumn id='c' quantity='{quantity}'/>")).collect();
    format!(
        "<Lems><Target component='s'/>{inside}<Simulation id='s' length='{ms}ms' step='0.01ms' target='n'><OutputFile id='o' fileName='o.dat'>{columns}</OutputFile></Simulation></Lems>"
    )
}

fn imported(text: &str) -> Result<Imported, spikelet::Error> {
    let check = |network: &Network| judge(network, None, &[]).network;
    let mut open = |path: &str| {
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("neuroml").join(path))
            .map_err(|error| error.to_string())
    };
    import::open(File {
        name: "a.xml",
        bytes: text.as_bytes().to_vec(),
        graph: Import::default(),
        open: &mut open,
        check: &check,
    })
}

fn network(text: &str) -> Network {
    let Imported { network, notices, .. } = imported(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(notices.is_empty(), "{:?}", notices.iter().map(Notice::to_string).collect::<Vec<_>>());
    network
}

/// The rows of a file are those of a loop: the state after each step, of which `row` gives what is recorded.
fn same_as(text: &str, tolerance: f64, mut step: impl FnMut(f64) -> Vec<f64>) {
    let network = network(text);
    let (_, rows) = samples(&network);
    for (number, row) in rows.iter().enumerate() {
        let expected = step(number as f64 * network.dt_ms);
        assert_eq!(row.len(), expected.len());
        for (found, expected) in row.iter().zip(&expected) {
            assert!((found - expected).abs() < tolerance, "step {number}: {row:?}, not {expected}; {text}");
        }
    }
}

const ONE: &str = "<network id='n'><population id='p' component='c' size='1'/></network>";
const CELL: &str = "<iafCell id='c' leakConductance='0.2nS' leakReversal='-70mV' thresh='-55mV' reset='-70mV' C='3.2pF'/>";

/// A cell of the type T: its parameters, and dynamics of `v`.
fn typed(parameters: &str, dynamics: &str, component: &str) -> String {
    format!(
        "<ComponentType name='T' extends='baseCellMembPotCap'>{parameters}<Dynamics><StateVariable name='v' dimension='voltage'/>{dynamics}</Dynamics></ComponentType><T id='c' C='2pF' {component}/>{ONE}"
    )
}

#[test]
fn the_time_scale_of_fitzhugh_and_nagumo_is_1_ms() {
    let cell = format!("<fitzHughNagumo1969Cell id='c' a='0.7' b='0.8' I='1.0' phi='0.08' V0='0.5' W0='0.1'/>{ONE}");
    let (mut v, mut w, dt) = (0.5, 0.1, 0.01);
    same_as(&lems(&cell, &["p[0]/V", "p[0]/W"], 50), 1e-6, |_| {
        let row = vec![v, w];
        (v, w) = (v + dt * (v - v * v * v / 3.0 - w + 1.0), w + dt * 0.08 * (v + 0.7 - 0.8 * w));
        row
    });
}

#[test]
fn hindmarsh_and_rose() {
    let cell = "<hindmarshRose1984Cell id='c' C='28.57142857pF' a='1.0' b='3.0' c='-3.0' d='5.0' s='4.0' x1='-1.3' r='0.002' x0='-1.1' y0='-9' z0='1.0' v_scaling='35.71428mV'/><pulseGenerator id='i' delay='0ms' duration='500ms' amplitude='5nA'/><network id='n'><population id='p' component='c' size='1'/><explicitInput target='p[0]' input='i'/></network>";
    let (mut x, mut y, mut z, dt) = (-1.1_f64, -9.0, 1.0, 0.01);
    // 5 nA through the capacity in a ms, in units of the scaling.
    let current = 5.0 / 28.57142857e-3 / 35.71428;
    same_as(&lems(cell, &["p[0]/v"], 50), 1e-3, |_| {
        let row = vec![x * 35.71428];
        let (phi, chi, rho) = (y - x.powi(3) + 3.0 * x * x, -3.0 - 5.0 * x * x - y, 4.0 * (x + 1.3) - z);
        (x, y, z) = (x + dt * (phi - z + current), y + dt * chi, z + dt * 0.002 * rho);
        row
    });
}

/// The attribute `type` wins over the name of an element, wherever it stands.
#[test]
fn the_attribute_type_wins() {
    let whole = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("neuroml").join(name);
        std::fs::read_to_string(path).unwrap()
    };
    for (file, changes) in [
        ("iaf.xml", [("<iafRefCell ", "<iafCell type='iafRefCell' "), ("<population ", "<populationList type='population' ")]),
        ("kinetic.xml", [("<gateKS ", "<gateHHrates type='gateKS' "), ("<openState ", "<closedState type='openState' ")]),
        (
            "net.xml",
            [
                ("<pulseGenerator ", "<sineGenerator type='pulseGenerator' "),
                ("<expTwoSynapse ", "<alphaSynapse type='expTwoSynapse' "),
            ],
        ),
        (
            "calcium.xml",
            [
                ("<gateHHtauInf ", "<gateHHrates type='gateHHtauInf' "),
                ("<channelDensityNernst ", "<channelDensity type='channelDensityNernst' "),
            ],
        ),
    ] {
        let text = whole(file);
        let expected = imported(&text).unwrap().network;
        for (from, to) in changes {
            let closed = |tag: &str| format!("</{}>", tag.trim_start_matches('<').split(' ').next().unwrap());
            let changed = text.replace(from, to).replace(&closed(from), &closed(to));
            if changed != text {
                assert_eq!(
                    imported(&changed).unwrap_or_else(|error| panic!("{file}, {to}: {error}")).network,
                    expected,
                    "{file}, {to}"
                );
            }
        }
        assert!(changes.iter().any(|(from, _)| text.contains(from)), "{file}");
    }
}

/// Parameters are inherited from types of NeuroML and of the file, dynamics of the most special type replace others, `Fixed` sets a parameter, and a
/// property has its default.
#[test]
fn types_inherit_parameters_and_not_dynamics() {
    let text = "<ComponentType name='B' extends='baseCellMembPotCap'><Parameter name='g' dimension='conductance'/><Parameter name='E' dimension='voltage'/><Dynamics><StateVariable name='v' dimension='voltage'/><StateVariable name='old' dimension='none'/><TimeDerivative variable='v' value='1000 * E / 0'/></Dynamics></ComponentType>\
        <ComponentType name='T' extends='B'><Fixed parameter='E' value='-60mV'/><Property name='k' dimension='none' defaultValue='2'/><Constant name='xi_rate' dimension='conductance' value='0.1nS'/><DerivedParameter name='xi' dimension='voltage' value='E'/><Dynamics><StateVariable name='v' dimension='voltage'/><TimeDerivative variable='v' value='(g + k*xi_rate)*(xi - v)/C'/><OnStart><StateAssignment variable='v' value='xi/2'/></OnStart></Dynamics></ComponentType>\
        <ComponentType name='U' extends='T'/><U id='c' C='2pF' g='0.3nS'/>";
    let (mut v, dt) = (-30.0, 0.01);
    same_as(&lems(&format!("{text}{ONE}"), &["p[0]/v"], 20), 1e-4, |_| {
        let row = vec![v];
        v += dt * 0.5 * (-60.0 - v) / 2.0;
        row
    });
}

/// A bare 0 has the dimension that is expected.
#[test]
fn zero_has_any_dimension() {
    let text = typed(
        "<Parameter name='tau' dimension='time'/><Parameter name='E' dimension='voltage'/>",
        "<StateVariable name='n' dimension='none'/><DerivedVariable name='low' dimension='voltage' value='0'/><ConditionalDerivedVariable name='pull' dimension='voltage'><Case condition='v .lt. 0' value='0'/><Case value='E - v + 0*tau/tau*v'/></ConditionalDerivedVariable><TimeDerivative variable='v' value='(pull + low)/tau'/><TimeDerivative variable='n' value='0'/><OnStart><StateAssignment variable='v' value='0'/></OnStart><OnCondition test='v .gt. 0 .and. v .gt. 0.75*E'><StateAssignment variable='v' value='0'/><StateAssignment variable='n' value='n + 1'/><EventOut port='spike'/></OnCondition>",
        "tau='10ms' E='20mV'",
    );
    let (mut v, mut n, dt) = (0.0, 0.0, 0.01);
    same_as(&lems(&text, &["p[0]/v", "p[0]/n"], 60), 1e-4, |_| {
        let row = vec![v, n];
        v += dt * (20.0 - v) / 10.0;
        if v > 15.0 {
            (v, n) = (0.0, n + 1.0);
        }
        row
    });
}

#[test]
fn units_and_dimensions_of_the_file() {
    let definitions = "<Dimension name='slope_dim' m='1' l='2' t='-4' i='-1'/><Unit symbol='mV_per_s' dimension='slope_dim' power='-3'/><Unit symbol='slow' dimension='slope_dim' scale='0.06'/>";
    for (slope, per_ms) in [("1000 mV_per_s", 1.0), ("50 slow", 3.0)] {
        let parameters = "<Parameter name='slope' dimension='slope_dim'/>";
        let text = typed(parameters, "<TimeDerivative variable='v' value='slope'/>", &format!("slope='{slope}'"));
        same_as(&lems(&format!("{definitions}{text}"), &["p[0]/v"], 5), 1e-4, |t| vec![t * per_ms]);
    }
}

/// A cell with a channel whose gate is of a type of the file: it has a state that starts where a rate says.
#[test]
fn gates_of_the_file() {
    let gate = "<ComponentType name='slowGate' extends='gateHHrates'><Parameter name='tau' dimension='time'/><Dynamics><StateVariable name='q' dimension='none'/><DerivedVariable name='open' dimension='none' select='steadyState/x'/><DerivedVariable name='scale' dimension='none' select='q10Settings[*]/q10' reduce='multiply'/><DerivedVariable name='fcond' dimension='none' exposure='fcond' value='q^instances'/><TimeDerivative variable='q' value='scale*(open - q)/tau'/><OnStart><StateAssignment variable='q' value='open/2'/></OnStart></Dynamics></ComponentType>";
    let cell = "<pointCellCondBased id='c' C='10pF' v0='-60mV' thresh='0mV'><channelPopulation id='ks' ionChannel='k' number='100' erev='-80mV' ion='k'/></pointCellCondBased>";
    for element in ["slowGate", "gateHHtauInf type='slowGate'"] {
        let end = element.split(' ').next().unwrap();
        let channel = format!(
            "<ionChannelHH id='k' conductance='10pS'><{element} id='n' instances='2' tau='5ms'><q10Settings type='q10Fixed' fixedQ10='2'/><steadyState type='HHSigmoidVariable' rate='1' midpoint='-50mV' scale='10mV'/></{end}></ionChannelHH>"
        );
        let inf = |v: f64| 1.0 / (1.0 + (-(v + 50.0) / 10.0).exp());
        let (mut v, mut q, dt) = (-60.0, inf(-60.0) / 2.0, 0.01);
        same_as(&lems(&format!("{gate}{channel}{cell}{ONE}"), &["p[0]/v"], 30), 1e-4, |_| {
            let row = vec![v];
            (v, q) = (v + dt * q * q * (-80.0 - v) / 10.0, q + dt * 2.0 * (inf(v) - q) / 5.0);
            row
        });
    }
}

/// The model of a pool of calcium, once of NeuroML and once as a type of the file.
#[test]
fn concentration_models_of_the_file() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("neuroml/calcium.xml");
    let text = std::fs::read_to_string(path).unwrap();
    let own = "<ComponentType name='ownPool' extends='concentrationModel'><Parameter name='restingConc' dimension='concentration'/><Parameter name='decayConstant' dimension='time'/><Parameter name='shellThickness' dimension='length'/><Constant name='F' dimension='charge_per_mole' value='96485.3C_per_mol'/><Requirement name='iCa' dimension='current'/><Requirement name='surfaceArea' dimension='area'/><Requirement name='initialConcentration' dimension='concentration'/><Dynamics><StateVariable name='c' exposure='concentration' dimension='concentration'/><DerivedVariable name='r' dimension='length' value='sqrt(surfaceArea/(4 * 3.14159))'/><DerivedVariable name='shell' dimension='volume' value='4*3.14159/3*(r^3 - (r - shellThickness)^3)'/><TimeDerivative variable='c' value='iCa/(2*F*shell) - (c - restingConc)/decayConstant'/><OnStart><StateAssignment variable='c' value='initialConcentration'/></OnStart><OnCondition test='c .lt. 0'><StateAssignment variable='c' value='0'/></OnCondition></Dynamics></ComponentType>";
    assert!(text.contains("<decayingPoolConcentrationModel "));
    let own = text.replace("<Lems>", &format!("<Lems>{own}")).replace("<decayingPoolConcentrationModel ", "<ownPool ");
    let short = |text: &str| {
        let mut network = imported(text).unwrap_or_else(|error| panic!("{error}")).network;
        network.duration_ms = 30.0;
        samples(&network).1
    };
    let (expected, found) = (short(&text), short(&own));
    let differ = expected.iter().zip(&found).map(|(a, b)| (a[0] - b[0]).abs()).fold(0.0, f64::max);
    assert!(expected.len() > 100 && differ < 1e-3, "{differ} mV");
}

#[test]
fn inputs_of_the_file_have_state_and_noise() {
    let slow = "<ComponentType name='slowInput' extends='basePointCurrent'><Property name='weight' dimension='none' defaultValue='1'/><Parameter name='tau' dimension='time'/><Parameter name='amp' dimension='current'/><EventPort name='in' direction='in'/><Dynamics><StateVariable name='s' dimension='current'/><DerivedVariable name='i' exposure='i' dimension='current' value='weight*s'/><TimeDerivative variable='s' value='(amp - s)/tau'/><OnStart><StateAssignment variable='s' value='amp/5'/></OnStart></Dynamics></ComponentType>";
    let network_of = "<network id='n'><population id='p' component='c' size='1'/><inputList id='l' population='p' component='x'><inputW id='0' target='../p/0/c' weight='2'/></inputList></network>";
    let (mut v, mut s, dt) = (-70.0, 0.2, 0.01);
    same_as(&lems(&format!("{CELL}{slow}<slowInput id='x' tau='30ms' amp='1pA'/>{network_of}"), &["p[0]/v"], 30), 1e-3, |_| {
        let row = vec![v];
        (v, s) = (v + dt * (0.2 * (-70.0 - v) + 2.0 * s) / 3.2, s + dt * (1.0 - s) / 30.0);
        row
    });
    // Uniform noise from 0 to 4 pA, through a leak of 0.2 nS: 10 mV on average.
    let noisy = "<ComponentType name='noise' extends='basePointCurrent'><Parameter name='most' dimension='current'/><Dynamics><DerivedVariable name='i' exposure='i' dimension='current' value='random(1)*most'/></Dynamics></ComponentType>";
    let network = network(&lems(&format!("{CELL}{noisy}<noise id='x' most='4pA'/>{network_of}"), &["p[0]/v"], 400));
    let late: Vec<f64> = samples(&network).1.iter().skip(20_000).map(|row| row[0] + 70.0).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    let spread = late.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / late.len() as f64;
    // The variance of an average over the time constant of 16 ms.
    let expected = (4.0_f64 / 0.2).powi(2) / 12.0 * 0.01 / (2.0 * 16.0);
    assert!((mean - 10.0).abs() < 0.2 && spread > expected / 4.0 && spread < expected * 4.0, "{mean} ± {}", spread.sqrt());
}

#[test]
fn synapses_read_the_neuron_at_the_other_end() {
    let synapse = "<ComponentType name='mySyn' extends='baseGradedSynapse'><Property name='weight' dimension='none' defaultValue='1'/><Parameter name='g' dimension='conductance'/><Requirement name='v' dimension='voltage'/><InstanceRequirement name='peer' type='baseGradedSynapse'/><Dynamics><DerivedVariable name='there' dimension='voltage' select='peer/v'/><DerivedVariable name='i' exposure='i' dimension='current' value='weight*g*(there - v)'/></Dynamics></ComponentType><silentSynapse id='none'/><mySyn id='y' g='0.1nS'/>";
    let network_of = "<pulseGenerator id='i' delay='0ms' duration='100ms' amplitude='2pA'/><network id='n'><population id='p' component='c' size='2'/><explicitInput target='p[0]' input='i'/><continuousProjection id='e' presynapticPopulation='p' postsynapticPopulation='p'><continuousConnection id='0' preCell='0' postCell='1' preComponent='none' postComponent='y'/></continuousProjection></network>";
    let (mut v, dt) = ([-70.0, -70.0], 0.01);
    same_as(&lems(&format!("{CELL}{synapse}{network_of}"), &["p[0]/v", "p[1]/v"], 30), 1e-3, |_| {
        let row = v.to_vec();
        v = [v[0] + dt * (0.2 * (-70.0 - v[0]) + 2.0) / 3.2, v[1] + dt * (0.2 * (-70.0 - v[1]) + 0.1 * (v[0] - v[1])) / 3.2];
        row
    });
}

/// What a file has and an import does not use is a notice with its place.
#[test]
fn what_is_not_used_is_a_notice() {
    let text = format!(
        "<neuroml>\n{}\n<network id='n'>\n<population id='p' component='c' size='1' colour='red'><swarm/></population></network></neuroml>",
        CELL.replace("/>", " swing='1'/>")
    );
    let notices = imported(&text).unwrap().notices;
    let said: Vec<String> = notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect();
    for expected in [
        "a.xml, line 2: the attribute `swing` of <iafCell> is not used",
        "a.xml, line 4: the attribute `colour` of <population> is not used",
        "a.xml, line 4: <swarm> in <population> is not used",
    ] {
        assert!(said.iter().any(|said| said == expected), "{expected} in {said:#?}");
    }
}

/// A file that becomes no valid network is an error at the place in the file, and not an import.
#[test]
fn what_cannot_run_is_an_error_with_the_place_in_the_file() {
    let of_type = |dynamics: &str| lems(&typed("", dynamics, ""), &[], 10);
    let nernst = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("neuroml/calcium.xml")).unwrap();
    let nernst = nernst
        .replace("<channelDensity ", "<channelDensityNernst ")
        .replace("initialConcentration=\"7.55e-11 ", "initialConcentration=\"0 ");
    for (text, said) in [
        (of_type("<TimeDerivative variable='v' value='speed'/>"), "a.xml, line 1: population `p` of `c`, a.xml, line 1"),
        (of_type("<TimeDerivative variable='v' value='v/C'/>"), "population `p` of `c`"),
        (of_type("<TimeDerivative variable='v' value='v +'/>"), "population `p` of `c`"),
        (lems(&format!("{}{ONE}", CELL.replace("0.2nS", "0.2mV")), &[], 10), "population `p` of `c`"),
        (
            lems(
                "<ComponentType name='T' extends='baseCellMembPot'><Parameter name='tau' dimension='time'/></ComponentType><T id='c' tau='5mV'/>",
                &[],
                10,
            ),
            "no component has this id",
        ),
        (
            lems(
                &typed("<Parameter name='tau' dimension='time'/>", "<TimeDerivative variable='v' value='v/tau'/>", "tau='5mV'"),
                &[],
                10,
            ),
            "T `c`, tau is `5mV`, but a value in second",
        ),
        (
            lems(
                &typed("<Parameter name='tau' dimension='time'/>", "<TimeDerivative variable='v' value='v/tau'/>", "tau='5'"),
                &[],
                10,
            ),
            "a value in second",
        ),
        (
            lems(&typed("<Parameter name='tau' dimension='tyme'/>", "", "tau='5ms'"), &[], 10),
            "`tyme`, but a dimension of NeuroML",
        ),
        (lems(&typed("<Structure/>", "", ""), &[], 10), "<Structure>"),
        (
            lems(&typed("", "", "").replace("baseCellMembPotCap", "baseSomething"), &[], 10),
            "`baseSomething`, but a type of the file",
        ),
        (
            lems(
                &typed(
                    "",
                    "<DerivedVariable name='a' dimension='none' value='b'/><DerivedVariable name='b' dimension='none' value='a'/><OnStart><StateAssignment variable='v' value='a'/></OnStart>",
                    "",
                ),
                &[],
                10,
            ),
            "do not depend on themselves",
        ),
        (nernst, "a concentration above 0"),
    ] {
        match imported(&text) {
            Err(error) => assert!(error.to_string().contains(said), "{said}: {error}"),
            Ok(_) => panic!("accepted: {said}: {text}"),
        }
    }
}
